import { defaultCrd, validateCrd } from "@pintle/cluster/schema";
import type { JsonObject } from "pintle/kinds";
import type { Resource } from "../project/index.ts";

/** Everything an API server would refuse in a definition: schema, names, and every CEL rule compiled and costed. */
export function crdProblems({ crd, file }: Pick<Resource, "crd" | "file">): readonly string[] {
  const versions = crd.spec.versions.map(({ name }) => name);
  // What a server notes down as it takes the definition in.
  const status = { storedVersions: crd.spec.versions.filter(({ storage }) => storage).map(({ name }) => name) };
  return validateCrd(defaultCrd({ ...crd, status } as unknown as JsonObject)).map(
    ({ field, detail }) => `${file}: ${readable(field, versions)}: ${detail.replace(RULE, "")}`,
  );
}

/** A server repeats the whole rule before it says what is wrong with it, and then again. */
const RULE = /^Invalid value: \{"Rule":.*?\}: (?=compilation failed)/;

/** `spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[size].maximum` -> `v1 spec.size maximum`. */
function readable(field: string, versions: readonly string[]): string {
  // With one version only, the server speaks of `spec.validation`.
  const [, index, inside] = /^spec\.(?:versions\[(\d+)\]\.schema|validation)\.openAPIV3Schema\.?(.*)$/.exec(field) ?? [];
  const version = versions[Number(index ?? 0)];
  if (version === undefined || inside === undefined) return field;
  const steps = inside
    .replace(/\.?properties\[([^\]]+)\]/g, ".$1")
    .replace(/\.items(?=\.|$)/g, "[]")
    .replace(/\.additionalProperties(?=\.|$)/g, "{}");
  const [, path = "", rest = ""] = /^\.?((?:[A-Za-z0-9_-]+|\[\]|\{\}|\.(?!x-kubernetes))*?)(?:\.?(x-kubernetes-.*))?$/.exec(steps) ?? [];
  return [version, path, rest].filter((part) => part !== "").join(" ");
}
