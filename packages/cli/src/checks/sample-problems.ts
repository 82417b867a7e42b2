import { compileSchema, DecodeError } from "@pintle/cluster/schema";
import { isObject, type Json, type JsonObject } from "pintle/kinds";
import type { Operator } from "../project/index.ts";

/** What an API server would refuse in a sample, and fields it would drop. Samples of other kinds are not ours to judge. */
export function sampleProblems(sample: Json, { resources }: Pick<Operator, "resources">): readonly string[] {
  if (!isObject(sample)) return ["is not an object"];
  const [group, version] = String(sample["apiVersion"] ?? "").split("/");
  const crd = resources.map((each) => each.crd).find(({ spec }) => spec.group === group && spec.names.kind === sample["kind"]);
  if (crd === undefined) return [];
  const found = crd.spec.versions.find(({ name }) => name === version);
  if (found === undefined) return [`has version ${version}, but there are only ${crd.spec.versions.map(({ name }) => name).join(", ")}`];
  const schema = compileSchema(found.schema.openAPIV3Schema as never);
  try {
    const { object, unknown } = schema.prune(withNames(sample));
    const errors = schema.validate(schema.default(object));
    return [...unknown.map((path) => `${path}: there is no such field`), ...errors.map(({ field, detail }) => `${field}: ${detail}`)];
  } catch (error) {
    if (error instanceof DecodeError) return [error.message];
    throw error;
  }
}

/** A sample is often nameless or without a namespace; that is for whoever applies it to say. */
function withNames(sample: JsonObject): JsonObject {
  return { ...sample, metadata: { name: "sample", ...((sample["metadata"] ?? {}) as JsonObject) } };
}
