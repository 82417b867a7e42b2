import { defineKind as makeKind, type Scope } from "../../kinds/index.ts";
import { NotFound } from "../errors/request-errors.ts";
import { SCHEMA } from "./decode-object.ts";
import type { DynamicKind } from "./objects.ts";
import type { RequestOptions } from "./options.ts";
import { formatGroupVersionPath } from "./path.ts";
import type { RequestSender } from "./request-sender.ts";
import type { StandardSchema } from "./standard-schema.ts";

interface ApiResourceList {
  readonly resources: readonly DiscoveredResource[];
}
interface DiscoveredResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}
interface ApiGroupList {
  readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[];
}

/** How many group-versions are requested at once. */
const MAX_CONCURRENT_REQUESTS = 8;

/** Discovers kinds, one document per group-version. A document is requested on first use, and again when a kind is missing in it. */
export function createDiscovery(send: RequestSender) {
  const cache = new Map<string, readonly DynamicKind[]>();

  async function fetchGroupVersion(apiVersion: string, options: RequestOptions): Promise<readonly DynamicKind[]> {
    const path = formatDiscoveryPath(apiVersion);
    const response = await send({ method: "GET", path, headers: { accept: "application/json" }, signal: options.signal }, apiVersion);
    const found = parseKinds(apiVersion, (await response.json()) as ApiResourceList);
    cache.set(apiVersion, found);
    return found;
  }

  async function discoverKind(
    apiVersion: string,
    name: string,
    second?: StandardSchema | RequestOptions,
    third?: RequestOptions,
  ): Promise<DynamicKind> {
    const schema = second !== undefined && "~standard" in second ? second : undefined;
    const options = schema === undefined ? ((second as RequestOptions | undefined) ?? {}) : (third ?? {});
    const isRequested = (kind: DynamicKind) => kind.kind === name;
    const found = cache.get(apiVersion)?.find(isRequested) ?? (await fetchGroupVersion(apiVersion, options)).find(isRequested);
    if (found === undefined) {
      const request = `GET ${formatDiscoveryPath(apiVersion)}`;
      const message = `${apiVersion} has no kind ${name}: is its CustomResourceDefinition installed, and in this version? (${request})`;
      throw new NotFound({ message, request, statusCode: 404 });
    }
    return schema === undefined ? found : Object.create(found, { [SCHEMA]: { value: schema } });
  }

  async function discoverKinds(options: RequestOptions = {}): Promise<readonly DynamicKind[]> {
    const response = await send(
      { method: "GET", path: "/apis", headers: { accept: "application/json" }, signal: options.signal },
      "discovery",
    );
    const { groups } = (await response.json()) as ApiGroupList;
    const versions = ["v1", ...groups.flatMap((group) => group.versions.map((version) => version.groupVersion))];
    const out: DynamicKind[] = [];
    for (let i = 0; i < versions.length; i += MAX_CONCURRENT_REQUESTS) {
      const batch = await Promise.all(versions.slice(i, i + MAX_CONCURRENT_REQUESTS).map((version) => fetchIfServed(version, options)));
      out.push(...batch.flat());
    }
    return out;
  }

  /** An aggregated API that is unavailable, or a group that was just removed, does not fail the discovery of the others. */
  async function fetchIfServed(apiVersion: string, options: RequestOptions): Promise<readonly DynamicKind[]> {
    try {
      return await fetchGroupVersion(apiVersion, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof NotFound || (error as { statusCode?: number }).statusCode === 503) return [];
      throw error;
    }
  }

  return { discoverKind, discoverKinds };
}

function formatDiscoveryPath(apiVersion: string): string {
  const [version, group = ""] = apiVersion.split("/").reverse() as [string, string?];
  return formatGroupVersionPath(group, version);
}

/** Converts an APIResourceList; "pods/status" is a subresource of "pods". */
function parseKinds(apiVersion: string, { resources }: ApiResourceList): readonly DynamicKind[] {
  const main = resources.filter((resource) => !resource.name.includes("/"));
  return main.map(({ name, kind, namespaced, verbs }) => {
    const prefix = `${name}/`;
    const subresources = resources
      .filter((resource) => resource.name.startsWith(prefix))
      .map((resource) => resource.name.slice(prefix.length));
    const scope: Scope = namespaced ? "Namespaced" : "Cluster";
    return Object.freeze(
      Object.assign(makeKind(`${apiVersion}/${kind}`, name, scope, { subresources }), { verbs }),
    ) as unknown as DynamicKind;
  });
}
