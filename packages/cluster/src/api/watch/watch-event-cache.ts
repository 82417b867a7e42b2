import { stringifyJson } from "pintle/internal/json";
import type { JsonObject } from "pintle/kinds";
import { encodeWatchEvent } from "../../codec/index.ts";
import type { StoreEntry, StoreEvent } from "../../store/index.ts";
import { JSON_TYPE, PROTOBUF_TYPE } from "../encoding/negotiate.ts";
import type { MediaType, WatchEvent, WatchEventType } from "../request/api-request.ts";

/**
 * Caches the watch events of the last commit, which reaches all its watches at once: watches with the same format share one event, and
 * its bytes are encoded once.
 */
export interface WatchEventCache {
  /** Returns the event for a commit in the format of `key`; `make` is called for the first watch only. */
  getOrCreate(source: StoreEvent, type: WatchEventType, key: string, make: (type: WatchEventType) => WatchEvent): WatchEvent;
}

export function createWatchEventCache(): WatchEventCache {
  let last: StoreEvent | undefined;
  // A new Map for each commit: the table that clear() leaves behind would keep old events alive.
  let eventsByFormat = new Map<string, WatchEvent[]>();
  return {
    getOrCreate(source, type, key, make) {
      if (source !== last) {
        last = source;
        eventsByFormat = new Map();
      }
      const events = eventsByFormat.get(key);
      let event = events?.find((each) => each.type === type);
      if (event === undefined) {
        event = make(type);
        if (events === undefined) eventsByFormat.set(key, [event]);
        else events.push(event);
      }
      return event;
    },
  };
}

/** Creates an event with an object. */
export function createWatchEvent(type: WatchEventType, object: JsonObject, mediaType: MediaType = JSON_TYPE): WatchEvent {
  return new EncodedWatchEvent(type, object, undefined, mediaType);
}

/** Creates an event with an object that is sent as it is stored: bytes are copied, and the value is decoded only for in-process watches. */
export function createStoredWatchEvent(type: WatchEventType, entry: StoreEntry, mediaType: MediaType, value?: JsonObject): WatchEvent {
  return new EncodedWatchEvent(type, value, entry, mediaType);
}

class EncodedWatchEvent implements WatchEvent {
  readonly type: WatchEventType;
  #object: JsonObject | undefined;
  readonly #entry: StoreEntry | undefined;
  readonly #mediaType: MediaType;
  #bytes: Uint8Array | undefined;

  constructor(type: WatchEventType, object: JsonObject | undefined, entry: StoreEntry | undefined, mediaType: MediaType) {
    this.type = type;
    this.#object = object;
    this.#entry = entry;
    this.#mediaType = mediaType;
  }

  get object(): JsonObject {
    this.#object ??= (this.#entry as StoreEntry).value;
    return this.#object;
  }

  line(): string {
    return `${encodeHead(this.type)}${this.#entry?.json() ?? stringifyJson(this.object)}${TAIL}`;
  }

  bytes(): Uint8Array {
    this.#bytes ??= this.#encoded();
    return this.#bytes;
  }

  #encoded(): Uint8Array {
    if (this.#mediaType === PROTOBUF_TYPE) return encodeWatchEvent(this.type, this.#object ?? (this.#entry as StoreEntry).decode());
    if (this.#entry === undefined) return Buffer.from(this.line());
    const begin = encodeHead(this.type);
    const bytes = Buffer.allocUnsafe(begin.length + this.#entry.byteLength + TAIL.length);
    bytes.write(begin, "latin1");
    const end = begin.length + this.#entry.copyJson(bytes, begin.length);
    bytes.write(TAIL, end, "latin1");
    return bytes;
  }
}

const encodeHead = (type: WatchEventType) => `{"type":"${type}","object":`;
const TAIL = "}\n";
