import type { JsonObject } from "pintle/kinds";
import type { StoreEvent } from "../../store/index.ts";
import type { WatchEvent, WatchEventType } from "../request.ts";
import { sharedText } from "../shared-text.ts";

/**
 * One commit reaches all its watchers in one go, so it is enough to remember what was made of the last one: every
 * watcher that shows it alike gets the same value, and its text is written once.
 */
export interface SharedEvents {
  /** `key` says how it is shown; `object` is asked only for the first watcher that shows it so. */
  of(source: StoreEvent, type: WatchEventType, key: string, object: () => JsonObject): WatchEvent;
}

export function sharedEvents(): SharedEvents {
  let last: StoreEvent | undefined;
  const made = new Map<WatchEventType, Map<string, WatchEvent>>();
  return {
    of(source, type, key, object) {
      if (source !== last) {
        last = source;
        made.clear();
      }
      let alike = made.get(type);
      if (alike === undefined) {
        alike = new Map();
        made.set(type, alike);
      }
      let event = alike.get(key);
      if (event === undefined) {
        event = watchEvent(type, object());
        alike.set(key, event);
      }
      return event;
    },
  };
}

export function watchEvent(type: WatchEventType, object: JsonObject): WatchEvent {
  let line: string | undefined;
  let bytes: Uint8Array | undefined;
  return {
    type,
    object,
    line() {
      line ??= `{"type":"${type}","object":${sharedText(object).text}}\n`;
      return line;
    },
    bytes() {
      bytes ??= Buffer.from(this.line());
      return bytes;
    },
  };
}
