import type { JsonObject } from "pintle/kinds";
import type { StoreEvent } from "../../store/index.ts";
import { jsonText } from "../json-text.ts";
import type { WatchEvent, WatchEventType } from "../request.ts";

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
  let made = new Map<string, WatchEvent>();
  return {
    of(source, type, key, object) {
      if (source !== last) {
        last = source;
        made = new Map();
      }
      const id = `${type} ${key}`;
      let event = made.get(id);
      if (event === undefined) {
        event = watchEvent(type, object());
        made.set(id, event);
      }
      return event;
    },
  };
}

export function watchEvent(type: WatchEventType, object: JsonObject): WatchEvent {
  let line: string | undefined;
  return {
    type,
    object,
    line() {
      line ??= `{"type":"${type}","object":${jsonText(object)}}\n`;
      return line;
    },
  };
}
