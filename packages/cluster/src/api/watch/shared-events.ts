import type { JsonObject } from "pintle/kinds";
import { encodeWatchEvent } from "../../codec/index.ts";
import type { StoreEvent } from "../../store/index.ts";
import { JSON_TYPE, PROTOBUF_TYPE } from "../present/negotiate.ts";
import type { MediaType, WatchEvent, WatchEventType } from "../request.ts";
import { sharedText } from "../shared-text.ts";

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

export function watchEvent(type: WatchEventType, object: JsonObject, mediaType: MediaType = JSON_TYPE): WatchEvent {
  let line: string | undefined;
  let ascii = false;
  let bytes: Uint8Array | undefined;
  return {
    type,
    object,
    line() {
      if (line === undefined) {
        const shared = sharedText(object);
        line = `{"type":"${type}","object":${shared.text}}\n`;
        ascii = shared.ascii;
      }
      return line;
    },
    bytes() {
      bytes ??= mediaType === PROTOBUF_TYPE ? encodeWatchEvent(type, object) : Buffer.from(this.line(), ascii ? "latin1" : "utf8");
      return bytes;
    },
  };
}
