import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { cel } from "../../schema/index.ts";

/** JSON of which nothing is known, as expressions see it; parts are made when they are looked at. */
export function dynamicValue(json: Json | undefined): cel.Value {
  if (json === undefined || json === null) return null;
  if (typeof json === "number") return Number.isSafeInteger(json) ? BigInt(json) : json;
  if (typeof json !== "object") return json;
  if (Array.isArray(json)) return new cel.PlainList((json as readonly Json[]).map(dynamicValue));
  return isObject(json) ? new JsonMap(json) : null;
}

class JsonMap extends cel.MapValue {
  readonly #fields: JsonObject;
  constructor(fields: JsonObject) {
    super();
    this.#fields = fields;
  }
  get size(): number {
    return Object.keys(this.#fields).length;
  }
  find(key: cel.Value): cel.Value | undefined {
    if (typeof key !== "string" || !Object.hasOwn(this.#fields, key) || this.#fields[key] === undefined) return undefined;
    return dynamicValue(this.#fields[key]);
  }
  keys(): Iterable<cel.Value> {
    return Object.keys(this.#fields).filter((key) => this.#fields[key] !== undefined);
  }
}
