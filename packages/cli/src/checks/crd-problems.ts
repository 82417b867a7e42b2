import { defaultCrd, validateCrd } from "@pintle/cluster/schema";
import type { JsonObject } from "pintle/kinds";
import type { ResourceDescription } from "../project/index.ts";

/** Returns everything that an API server would reject in a CRD: schema, names, and CEL rules, which are compiled and costed. */
export function findCrdProblems({ crd, file }: Pick<ResourceDescription, "crd" | "file">): readonly string[] {
  const versions = crd.spec.versions.map(({ name }) => name);
  // The API server records the stored versions when it accepts the CRD.
  const status = { storedVersions: crd.spec.versions.filter(({ storage }) => storage).map(({ name }) => name) };
  return validateCrd(defaultCrd({ ...crd, status } as unknown as JsonObject)).map(
    ({ field, detail }) => `${file}: ${formatFieldPath(field, versions)}: ${detail.replace(RULE_PREFIX, "")}`,
  );
}

/** The API server repeats the whole rule before the compilation error. */
const RULE_PREFIX = /^Invalid value: \{"Rule":.*?\}: (?=compilation failed)/;

/** Turns `spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[size].maximum` into `v1 spec.size maximum`. */
function formatFieldPath(field: string, versions: readonly string[]): string {
  // For a CRD with a single version the API server reports `spec.validation`.
  const [, index, inside] = /^spec\.(?:versions\[(\d+)\]\.schema|validation)\.openAPIV3Schema\.?(.*)$/.exec(field) ?? [];
  const version = versions[Number(index ?? 0)];
  if (version === undefined || inside === undefined) return field;
  const steps = inside
    .replace(/\.?properties\[([^[\]]+)\]/g, ".$1")
    .replace(/\.items(?=\.|$)/g, "[]")
    .replace(/\.additionalProperties(?=\.|$)/g, "{}");
  const extension = steps.search(/(?:^|\.)x-kubernetes-/);
  const parts = extension < 0 ? [steps] : [steps.slice(0, extension), steps.slice(extension)];
  return [version, ...parts.map((part) => part.replace(/^\./, ""))].filter((part) => part !== "").join(" ");
}
