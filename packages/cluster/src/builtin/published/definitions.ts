import type { JsonObject } from "pintle/kinds";
import { definitions } from "../generated/definitions.ts";

let definitionTexts: Map<string, string> | undefined;
const parsedDefinitions = new Map<string, JsonObject>();
let namesByKind: Map<string, string> | undefined;

/** Returns the OpenAPI v3 schema with a name, "io.k8s.api.apps.v1.DeploymentSpec"; always the same object. */
export function getDefinition(name: string): JsonObject | undefined {
  const known = parsedDefinitions.get(name);
  if (known !== undefined) return known;
  const text = loadDefinitions().get(name);
  if (text === undefined) return undefined;
  const schema = JSON.parse(text) as JsonObject;
  parsedDefinitions.set(name, schema);
  return schema;
}

/** Returns all definition names, sorted. */
export function listDefinitionNames(): readonly string[] {
  return [...loadDefinitions().keys()];
}

/** Returns the definition name of a kind; `apiVersion` is "apps/v1", or "v1" for the core group. */
export function getKindDefinitionName(apiVersion: string, kind: string): string | undefined {
  namesByKind ??= indexByKind();
  return namesByKind.get(`${apiVersion}/${kind}`);
}

function loadDefinitions(): Map<string, string> {
  definitionTexts ??= new Map(
    definitions.split("\n").map((line) => {
      const space = line.indexOf(" ");
      return [line.slice(0, space), line.slice(space + 1)] as const;
    }),
  );
  return definitionTexts;
}

function indexByKind(): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, text] of loadDefinitions()) {
    if (!text.includes('"x-kubernetes-group-version-kind":[{')) continue;
    const schema = getDefinition(name)!;
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
