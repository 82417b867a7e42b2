import { definitions } from "pintle/internal/definitions";
import { memoize, memoizeByKey } from "pintle/internal/memoize";
import type { JsonObject } from "pintle/kinds";

/** Returns the OpenAPI v3 schema with a name, "io.k8s.api.apps.v1.DeploymentSpec"; always the same object. */
export const getDefinition: (name: string) => JsonObject | undefined = memoizeByKey((name) => {
  const text = loadDefinitions().get(name);
  return text === undefined ? undefined : (JSON.parse(text) as JsonObject);
});

/** Returns all definition names, sorted. */
export function listDefinitionNames(): readonly string[] {
  return [...loadDefinitions().keys()];
}

/** Returns the definition name of a kind; `apiVersion` is "apps/v1", or "v1" for the core group. */
export function getKindDefinitionName(apiVersion: string, kind: string): string | undefined {
  return indexByKind().get(`${apiVersion}/${kind}`);
}

const loadDefinitions = memoize(
  (): ReadonlyMap<string, string> =>
    new Map(
      definitions.split("\n").map((line) => {
        const space = line.indexOf(" ");
        return [line.slice(0, space), line.slice(space + 1)] as const;
      }),
    ),
);

const indexByKind = memoize((): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const [name, text] of loadDefinitions()) {
    if (!text.includes('"x-kubernetes-group-version-kind":[{')) continue;
    const schema = getDefinition(name)!;
    for (const { group, version, kind } of schema["x-kubernetes-group-version-kind"] as readonly PublishedGroupVersionKind[]) {
      found.set(group === "" ? `${version}/${kind}` : `${group}/${version}/${kind}`, name);
    }
  }
  return found;
});

interface PublishedGroupVersionKind extends JsonObject {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}
