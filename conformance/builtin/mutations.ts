import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";

/** A valid object with one field changed. */
export interface Mutation {
  /** "spec.replicas = -1" */
  readonly name: string;
  readonly object: JsonObject;
}

type Path = readonly (string | number)[];

/** Yields copies of an object with one field removed, emptied, or set to a value that is probably invalid. */
export function* listMutations(object: JsonObject): Generator<Mutation> {
  for (const [path, value] of places(object, [])) {
    const at = path.join(".");
    if (at === "kind" || at === "apiVersion" || at === "metadata.name" || at === "metadata.namespace") continue;
    yield { name: `${at} left out`, object: setField(object, path, undefined) as JsonObject };
    for (const other of alternativeValues(value)) {
      yield { name: `${at} = ${JSON.stringify(other)}`, object: setField(object, path, other) as JsonObject };
    }
    if (isJsonObject(value)) yield { name: `${at} with more`, object: setField(object, path, { ...value, unheardOf: "x" }) as JsonObject };
    if (Array.isArray(value) && value.length > 0) {
      yield { name: `${at} twice`, object: setField(object, path, [...value, value[0]]) as JsonObject };
    }
  }
}

function alternativeValues(value: Json): readonly Json[] {
  if (typeof value === "string") return ["", "Not Good!", "x".repeat(300), 7];
  if (typeof value === "number") return [-1, 0, 70_000, 3_000_000_000, "many"];
  if (typeof value === "boolean") return [!value, "yes"];
  return Array.isArray(value) ? [[], {}, "x"] : [{}, [], "x"];
}

function* places(value: Json, path: Path): Generator<readonly [Path, Json]> {
  if (path.length > 0) yield [path, value];
  if (Array.isArray(value)) for (const [index, item] of (value as readonly Json[]).entries()) yield* places(item, [...path, index]);
  else if (isJsonObject(value)) for (const [key, field] of Object.entries(value)) yield* places(field as Json, [...path, key]);
}

function setField(value: Json, [step, ...rest]: Path, to: Json | undefined): Json {
  if (step === undefined) return to as Json;
  if (Array.isArray(value)) {
    const items = [...(value as readonly Json[])];
    if (to === undefined && rest.length === 0) items.splice(step as number, 1);
    else items[step as number] = setField(items[step as number]!, rest, to);
    return items;
  }
  const { [step]: field, ...others } = value as JsonObject;
  return to === undefined && rest.length === 0 ? others : { ...others, [step]: setField(field as Json, rest, to) };
}
