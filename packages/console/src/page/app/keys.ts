/**
 * Keys of one character, as WCAG 2.1.4 wants them: they can be switched off, and do nothing while a field has the focus. A page adds keys of its own
 * with `useKeys`; the innermost wins.
 */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { readSetting, writeSetting } from "./settings.ts";

export type Keys = Readonly<Record<string, () => void>>;

/** Milliseconds in which the second key of "g o" must follow the first. */
const SEQUENCE_MS = 1_500;

export const keysEnabled = signal(readSetting("keys") !== "off");
const layers: { current: Keys }[] = [];
let prefix: { readonly key: string; readonly time: number } | undefined;

export function toggleKeys(): void {
  keysEnabled.value = !keysEnabled.value;
  writeSetting("keys", keysEnabled.value ? "on" : "off");
}

/** Handles keys while the component is shown. */
export function useKeys(keys: Keys): void {
  const layer = useRef(keys);
  layer.current = keys;
  useEffect(() => {
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.shadowRoot !== null || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

function find(key: string): (() => void) | undefined {
  for (let i = layers.length - 1; i >= 0; i--) {
    const action = layers[i]?.current[key];
    if (action !== undefined) return action;
  }
  return undefined;
}

export function startKeys(): void {
  document.addEventListener("keydown", (event) => {
    // A dialog has the keyboard for itself.
    if (event.defaultPrevented || event.altKey || event.metaKey || document.querySelector("dialog[open]") !== null) return;
    const typing = isTyping(event.target);
    if (event.ctrlKey) {
      const action = find(`Ctrl-${event.key.toLowerCase()}`);
      if (action !== undefined) {
        event.preventDefault();
        action();
      }
      return;
    }
    if (typing && event.key !== "Escape") return;
    if (event.key.length === 1 && !keysEnabled.value) return;
    const before = prefix !== undefined && event.timeStamp - prefix.time < SEQUENCE_MS ? `${prefix.key} ` : "";
    prefix = undefined;
    const action = find(before + event.key);
    if (action !== undefined) {
      event.preventDefault();
      action();
    } else if (event.key === "g" && before === "") prefix = { key: "g", time: event.timeStamp };
  });
}
