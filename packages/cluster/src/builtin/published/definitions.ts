import type { JsonObject } from "pintle/kinds";
import { definitions } from "../generated/definitions.ts";

let lines: Map<string, string> | undefined;
const parsed = new Map<string, JsonObject>();
let kinds: Map<string, string> | undefined;

/** The OpenAPI v3 schema published under a name: "io.k8s.api.apps.v1.DeploymentSpec". The same object each time. */
export function definition(name: string): JsonObject | undefined {
  const known = parsed.get(name);
  if (known !== undefined) return known;
  const text = table().get(name);
  if (text === undefined) return undefined;
  const schema = JSON.parse(text) as JsonObject;
  parsed.set(name, schema);
  return schema;
}

/** All names, sorted. */
export function definitionNames(): readonly string[] {
  return [...table().keys()];
}

/** The name of a kind's schema; `apiVersion` is "apps/v1", or "v1" for the core group. */
export function definitionOf(apiVersion: string, kind: string): string | undefined {
  kinds ??= byKind();
  return kinds.get(`${apiVersion}/${kind}`);
}

function table(): Map<string, string> {
  lines ??= new Map(
    definitions.split("\n").map((line) => {
      const space = line.indexOf(" ");
      return [line.slice(0, space), line.slice(space + 1)] as const;
    }),
  );
  return lines;
}

function byKind(): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, text] of table()) {
    if (!text.includes('"x-kubernetes-group-version-kind":[{')) continue;
    const schema = definition(name)!;
    for (const { group, version, kind } of schema["x-kubernetes-group-version-kind"] as readonly GroupVersionKind[]) {
      found.set(group === "" ? `${version}/${kind}` : `${group}/${version}/${kind}`, name);
    }
  }
  return found;
}

interface GroupVersionKind extends JsonObject {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}
