import { kind as makeKind, type Scope } from "../kinds/index.ts";
import { NotFound } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import type { DynamicKind } from "./objects.ts";
import type { CallOptions } from "./options.ts";
import { groupVersionPath } from "./path.ts";
import { SCHEMA } from "./presented.ts";
import type { Schema } from "./schema.ts";

interface ResourceList {
  readonly resources: readonly Resource[];
}
interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}
interface GroupList {
  readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[];
}

/** How many group-versions are asked for at once. */
const AT_ONCE = 8;

/** What the server serves, one document per group-version, asked for when first needed and again when a kind is missing. */
export function discovery(exchange: Exchange) {
  const known = new Map<string, readonly DynamicKind[]>();

  async function ask(apiVersion: string, options: CallOptions): Promise<readonly DynamicKind[]> {
    const path = pathOfVersion(apiVersion);
    const response = await exchange({ method: "GET", path, headers: { accept: "application/json" }, signal: options.signal }, apiVersion);
    const found = kindsOf(apiVersion, (await response.json()) as ResourceList);
    known.set(apiVersion, found);
    return found;
  }

  async function kind(apiVersion: string, name: string, second?: Schema | CallOptions, third?: CallOptions): Promise<DynamicKind> {
    const schema = second !== undefined && "~standard" in second ? second : undefined;
    const options = schema === undefined ? ((second as CallOptions | undefined) ?? {}) : (third ?? {});
    const named = (one: DynamicKind) => one.kind === name;
    const found = known.get(apiVersion)?.find(named) ?? (await ask(apiVersion, options)).find(named);
    if (found === undefined) {
      const request = `GET ${pathOfVersion(apiVersion)}`;
      const message = `${apiVersion} has no kind ${name}: is its CustomResourceDefinition installed, and in this version? (${request})`;
      throw new NotFound({ message, request, code: 404 });
    }
    return schema === undefined ? found : Object.create(found, { [SCHEMA]: { value: schema } });
  }

  async function kinds(options: CallOptions = {}): Promise<readonly DynamicKind[]> {
    const response = await exchange(
      { method: "GET", path: "/apis", headers: { accept: "application/json" }, signal: options.signal },
      "discovery",
    );
    const { groups } = (await response.json()) as GroupList;
    const versions = ["v1", ...groups.flatMap((group) => group.versions.map((version) => version.groupVersion))];
    const out: DynamicKind[] = [];
    for (let i = 0; i < versions.length; i += AT_ONCE) {
      const some = await Promise.all(versions.slice(i, i + AT_ONCE).map((version) => served(version, options)));
      out.push(...some.flat());
    }
    return out;
  }

  /** An aggregated API that is down, or a group that has just gone, takes nothing away from the others. */
  async function served(apiVersion: string, options: CallOptions): Promise<readonly DynamicKind[]> {
    try {
      return await ask(apiVersion, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof NotFound || (error as { code?: number }).code === 503) return [];
      throw error;
    }
  }

  return { kind, kinds };
}

function pathOfVersion(apiVersion: string): string {
  const [version, group = ""] = apiVersion.split("/").reverse() as [string, string?];
  return groupVersionPath(group, version);
}

/** "pods/status" is a subresource of "pods". */
function kindsOf(apiVersion: string, { resources }: ResourceList): readonly DynamicKind[] {
  const main = resources.filter((resource) => !resource.name.includes("/"));
  return main.map(({ name, kind, namespaced, verbs }) => {
    const prefix = `${name}/`;
    const subresources = resources.filter((one) => one.name.startsWith(prefix)).map((one) => one.name.slice(prefix.length));
    const scope: Scope = namespaced ? "Namespaced" : "Cluster";
    return Object.freeze(
      Object.assign(makeKind(`${apiVersion}/${kind}`, name, scope, { subresources }), { verbs }),
    ) as unknown as DynamicKind;
  });
}
