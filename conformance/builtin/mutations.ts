import { isObject, type Json, type JsonObject } from "pintle/kinds";

/** A good object with one field spoiled. */
export interface Mutation {
  /** "spec.replicas = -1" */
  readonly name: string;
  readonly object: JsonObject;
}

type Path = readonly (string | number)[];

/** Every field of an object left out, emptied, or given a value that it most likely cannot have. */
export function* mutations(object: JsonObject): Generator<Mutation> {
  for (const [path, value] of places(object, [])) {
    const at = path.join(".");
    if (at === "kind" || at === "apiVersion" || at === "metadata.name" || at === "metadata.namespace") continue;
    yield { name: `${at} left out`, object: changed(object, path, undefined) as JsonObject };
    for (const other of othersFor(value)) {
      yield { name: `${at} = ${JSON.stringify(other)}`, object: changed(object, path, other) as JsonObject };
    }
    if (isObject(value)) yield { name: `${at} with more`, object: changed(object, path, { ...value, unheardOf: "x" }) as JsonObject };
    if (Array.isArray(value) && value.length > 0) {
      yield { name: `${at} twice`, object: changed(object, path, [...value, value[0]]) as JsonObject };
    }
  }
}

function othersFor(value: Json): readonly Json[] {
  if (typeof value === "string") return ["", "Not Good!", "x".repeat(300), 7];
  if (typeof value === "number") return [-1, 0, 70_000, 3_000_000_000, "many"];
  if (typeof value === "boolean") return [!value, "yes"];
  return Array.isArray(value) ? [[], {}, "x"] : [{}, [], "x"];
}

function* places(value: Json, path: Path): Generator<readonly [Path, Json]> {
  if (path.length > 0) yield [path, value];
  if (Array.isArray(value)) for (const [index, item] of (value as readonly Json[]).entries()) yield* places(item, [...path, index]);
  else if (isObject(value)) for (const [key, field] of Object.entries(value)) yield* places(field as Json, [...path, key]);
}

function changed(value: Json, [step, ...rest]: Path, to: Json | undefined): Json {
  if (step === undefined) return to as Json;
  if (Array.isArray(value)) {
    const items = [...(value as readonly Json[])];
    if (to === undefined && rest.length === 0) items.splice(step as number, 1);
    else items[step as number] = changed(items[step as number]!, rest, to);
    return items;
  }
  const { [step]: field, ...others } = value as JsonObject;
  return to === undefined && rest.length === 0 ? others : { ...others, [step]: changed(field as Json, rest, to) };
}
