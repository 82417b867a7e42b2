import { compileSchema, DecodeError } from "@pintle/cluster/schema";
import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import type { OperatorDescription } from "../project/index.ts";

/**
 * Returns what an API server would reject in a sample, and the fields it would drop. Samples of kinds outside the project are not checked.
 */
export function findSampleProblems(sample: Json, { resources }: Pick<OperatorDescription, "resources">): readonly string[] {
  if (!isJsonObject(sample)) return ["must be an object"];
  const [group, version] = String(sample["apiVersion"] ?? "").split("/");
  const crd = resources.map((each) => each.crd).find(({ spec }) => spec.group === group && spec.names.kind === sample["kind"]);
  if (crd === undefined) return [];
  const found = crd.spec.versions.find(({ name }) => name === version);
  if (found === undefined)
    return [`unknown version ${version}; known versions are ${crd.spec.versions.map(({ name }) => name).join(", ")}`];
  const schema = compileSchema(found.schema.openAPIV3Schema as never);
  try {
    const { object, unknown } = schema.prune(withDefaultName(sample));
    const errors = schema.validate(schema.default(object));
    return [...unknown.map((path) => `unknown field "${path}"`), ...errors.map(({ field, detail }) => `${field}: ${detail}`)];
  } catch (error) {
    if (error instanceof DecodeError) return [error.message];
    throw error;
  }
}

/** Samples may leave name and namespace to the command that applies them. */
function withDefaultName(sample: JsonObject): JsonObject {
  return { ...sample, metadata: { name: "sample", ...((sample["metadata"] ?? {}) as JsonObject) } };
}
