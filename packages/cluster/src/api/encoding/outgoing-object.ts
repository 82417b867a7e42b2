import type { JsonObject } from "pintle/kinds";
import type { StoreEntry } from "../../store/index.ts";
import type { EncodedObject, MediaType, ObjectBody } from "../request/api-request.ts";
import { JSON_TYPE } from "./negotiate.ts";

/**
 * An object of the store that is sent to a client, and the body of a response with one object. Where it is sent as it is stored,
 * it holds the store's entry: JSON is copied from the entry's bytes, and the value is decoded only for a reader that needs it.
 */
export class OutgoingObject implements ObjectBody, EncodedObject {
  /** Set where the object is stored exactly as it is sent. */
  readonly entry: StoreEntry | undefined;
  mediaType: MediaType = JSON_TYPE;
  readonly #object: JsonObject | undefined;

  /** At least one of the two; both where the entry's value is decoded already. */
  constructor(entry: StoreEntry | undefined, object?: JsonObject) {
    this.entry = entry;
    this.#object = object;
  }

  get type(): "json" {
    return "json";
  }

  get object(): JsonObject {
    return this.#object ?? (this.entry as StoreEntry).value;
  }

  get value(): JsonObject {
    return this.object;
  }

  get encoded(): EncodedObject | undefined {
    return this.entry === undefined ? undefined : this;
  }

  get metadata(): EncodedObject["metadata"] {
    const { key, revision } = this.entry as StoreEntry;
    return { name: key.slice(key.lastIndexOf("/") + 1), resourceVersion: String(revision) };
  }

  json(): Uint8Array {
    return (this.entry as StoreEntry).jsonLine();
  }

  /** The value for a reader that needs it once: the store does not cache it. */
  decodeOnce(): JsonObject {
    return this.#object ?? (this.entry as StoreEntry).decode();
  }

  /** The same, but it may lack `managedFields`. */
  decodeOnceWithoutManagedFields(): JsonObject {
    return this.#object ?? (this.entry as StoreEntry).decodeWithoutManagedFields();
  }
}
