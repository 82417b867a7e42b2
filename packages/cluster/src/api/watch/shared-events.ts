import type { JsonObject } from "pintle/kinds";
import { encodeWatchEvent } from "../../codec/index.ts";
import type { Entry, StoreEvent } from "../../store/index.ts";
import { jsonText } from "../json-text.ts";
import { JSON_TYPE, PROTOBUF_TYPE } from "../present/negotiate.ts";
import type { MediaType, WatchEvent, WatchEventType } from "../request.ts";

/**
 * One commit reaches all its watchers in one go, so it is enough to remember what was made of the last one: every
 * watcher that shows it alike gets the same value, and its text is written once.
 */
export interface SharedEvents {
  /** `key` says how it is shown; `make` is called only for the first watcher that shows it so. */
  of(source: StoreEvent, type: WatchEventType, key: string, make: (type: WatchEventType) => WatchEvent): WatchEvent;
}

export function sharedEvents(): SharedEvents {
  let last: StoreEvent | undefined;
  // A new one each time: what clear() leaves behind would hold on to the events before, and to those after.
  let made = new Map<string, WatchEvent[]>();
  return {
    of(source, type, key, make) {
      if (source !== last) {
        last = source;
        made = new Map();
      }
      const alike = made.get(key);
      let event = alike?.find((each) => each.type === type);
      if (event === undefined) {
        event = make(type);
        if (alike === undefined) made.set(key, [event]);
        else alike.push(event);
      }
      return event;
    },
  };
}

/** An event about an object. */
export function watchEvent(type: WatchEventType, object: JsonObject, mediaType: MediaType = JSON_TYPE): WatchEvent {
  return new Told(type, object, undefined, mediaType);
}

/** An event about an object that is stored as the watcher wants to see it: it is put together only for those who do not want text. */
export function storedEvent(type: WatchEventType, entry: Entry, mediaType: MediaType, value?: JsonObject): WatchEvent {
  return new Told(type, value, entry, mediaType);
}

class Told implements WatchEvent {
  readonly type: WatchEventType;
  #object: JsonObject | undefined;
  readonly #entry: Entry | undefined;
  readonly #mediaType: MediaType;
  #bytes: Uint8Array | undefined;

  constructor(type: WatchEventType, object: JsonObject | undefined, entry: Entry | undefined, mediaType: MediaType) {
    this.type = type;
    this.#object = object;
    this.#entry = entry;
    this.#mediaType = mediaType;
  }

  get object(): JsonObject {
    this.#object ??= (this.#entry as Entry).value;
    return this.#object;
  }

  line(): string {
    return `${opening(this.type)}${this.#entry?.text() ?? jsonText(this.object)}${CLOSING}`;
  }

  bytes(): Uint8Array {
    this.#bytes ??= this.#encoded();
    return this.#bytes;
  }

  #encoded(): Uint8Array {
    if (this.#mediaType === PROTOBUF_TYPE) return encodeWatchEvent(this.type, this.#object ?? (this.#entry as Entry).read());
    if (this.#entry === undefined) return Buffer.from(this.line());
    const begin = opening(this.type);
    const bytes = Buffer.allocUnsafe(begin.length + this.#entry.length + CLOSING.length);
    bytes.write(begin, "latin1");
    const end = begin.length + this.#entry.copyText(bytes, begin.length);
    bytes.write(CLOSING, end, "latin1");
    return bytes;
  }
}

const opening = (type: WatchEventType) => `{"type":"${type}","object":`;
const CLOSING = "}\n";
