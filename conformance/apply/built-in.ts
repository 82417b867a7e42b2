import { isObject, type Json, type JsonObject, type Shape } from "pintle/kinds";
import { shapeOf } from "pintle/merge";
import { roundTrip } from "../../packages/cluster/src/builtin/go/round-trip.ts";
import { structOf } from "../../packages/cluster/src/builtin/go/structs.ts";
import { ApiError } from "../../packages/cluster/src/status/index.ts";
import type { Random } from "./random.ts";
import type { Server } from "./server.ts";
import type { Subject } from "./step.ts";

/** What differs from one built-in kind to the next. */
export interface BuiltIn {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  /** The name of its schema. */
  readonly schema: string;
  readonly statusResets: readonly (readonly string[])[];
  readonly late: readonly (readonly string[])[];
  config(random: Random, name: string, subresource: string): JsonObject;
  object(random: Random, name: string): JsonObject;
}

/** A built-in kind with the shape that the real server itself publishes. */
export async function builtIn(of: BuiltIn, real: Server): Promise<Subject> {
  const { apiVersion, kind, plural, schema } = of;
  const root = apiVersion.includes("/") ? `apis/${apiVersion}` : `api/${apiVersion}`;
  const document = (await real.send("GET", `/openapi/v3/${root}`)).body as unknown as { components: { schemas: { [name: string]: JsonObject } } };
  const { schemas } = document.components;
  const resolve = (name: string) => schemas[name];
  const shape: Shape = shapeOf(schemas[schema]!, resolve);
  const trip = roundTrip(structOf(apiVersion, kind));
  const collection = `/${root}/namespaces/default/${plural}`;
  return {
    ...of,
    name: plural,
    kind,
    apiVersions: [apiVersion],
    collection: () => collection,
    path: (_, name, subresource) => `${collection}/${name}${subresource && `/${subresource}`}`,
    shape: () => shape,
    blank: blank(schemas[schema]!, resolve),
    resets: (subresource) => (subresource === "status" ? of.statusResets : [["status"]]),
    defaults: (object) => object,
    stored: (object) => decoded(() => trip(object, []) as JsonObject),
    exact: false,
    verbs: ["update", "apply", "apply", "apply", "json", "merge", "strategic", "strategic", "strategic"],
    hasStatus: true,
  };
}

/** What cannot be read is not compared: it is refused with 422 on both sides. */
function decoded(read: () => JsonObject): JsonObject {
  try {
    return read();
  } catch (error) {
    throw new ApiError(422, "Invalid", error instanceof Error ? error.message : String(error));
  }
}

/** A Go struct that nobody filled: structs inside are there, and what has to be written is. */
function blank(schema: JsonObject, resolve: (name: string) => JsonObject | undefined): JsonObject {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const out: Record<string, Json> = {};
  for (const [name, property] of Object.entries((schema["properties"] ?? {}) as JsonObject)) {
    if (!isObject(property)) continue;
    const [inner] = (property["allOf"] ?? []) as readonly JsonObject[];
    const target = typeof inner?.["$ref"] === "string" ? resolve(inner["$ref"].split("/").at(-1)!) : undefined;
    if (isObject(property["default"]) && target !== undefined) out[name] = blank(target, resolve);
    else if (required.includes(name)) out[name] = property["default"] ?? null;
  }
  return out;
}
