import type { Json } from "pintle/kinds";
import { jsonText } from "./json-text.ts";

/** How much text is kept, in characters. */
const KEPT = 64 * 1024 * 1024;

/** JSON, and whether every character of it is a byte in UTF-8: then its length and its bytes cost nothing to find out. */
export interface Text {
  readonly text: string;
  readonly ascii: boolean;
}

/** A part's text alone where all of it is ASCII, as nearly always. */
type Kept = string | Text;

let young = new Map<object, Kept>();
let old = new Map<object, Kept>();
let length = 0;

/**
 * JSON text of what is stored. The parts of an object (metadata, spec, status) are written once and then used for the
 * answer to whoever wrote it, for every watcher and every list, as long as they are among the last that were needed.
 */
export function sharedText(value: unknown): Text {
  const pieces = new Pieces();
  pieces.add(value as Json | undefined);
  return pieces.joined();
}

class Pieces {
  #pieces: string[] = [];
  #ascii = true;

  joined(): Text {
    return { text: this.#pieces.join(""), ascii: this.#ascii };
  }

  add(value: Json | undefined): void {
    if (value === null || typeof value !== "object") this.#push(textOf(value ?? null));
    else if (Array.isArray(value) && !Object.isFrozen(value)) this.#addItems(value as readonly Json[]);
    else if (Object.isFrozen(value) && !("metadata" in value)) this.#addPart(value);
    else this.#addFields(value as Readonly<Record<string, Json | undefined>>);
  }

  #push({ text, ascii }: Text): void {
    this.#pieces.push(text);
    this.#ascii &&= ascii;
  }

  #addPart(part: object): void {
    const kept = partText(part);
    if (typeof kept === "string") this.#pieces.push(kept);
    else this.#push(kept);
  }

  #addItems(items: readonly Json[]): void {
    for (let index = 0; index < items.length; index++) {
      this.#pieces.push(index === 0 ? "[" : ",");
      this.add(items[index]);
    }
    this.#pieces.push(items.length === 0 ? "[]" : "]");
  }

  #addFields(fields: Readonly<Record<string, Json | undefined>>): void {
    let first = true;
    for (const name in fields) {
      const field = fields[name];
      if (field === undefined) continue;
      this.#pieces.push(first ? "{" : ",");
      this.#push(nameText(name));
      this.add(field);
      first = false;
    }
    this.#pieces.push(first ? "{}" : "}");
  }
}

/** Names of fields repeat for ever. */
const names = new Map<string, Text>();
const MAX_NAMES = 1000;

function nameText(name: string): Text {
  const known = names.get(name);
  if (known !== undefined) return known;
  const { text, ascii } = textOf(name);
  const made = { text: `${text}:`, ascii };
  if (names.size >= MAX_NAMES) names.clear();
  names.set(name, made);
  return made;
}

function partText(part: object): Kept {
  const known = young.get(part);
  if (known !== undefined) return known;
  const text = old.get(part) ?? keptOf(textOf(part));
  young.set(part, text);
  length += typeof text === "string" ? text.length : text.text.length;
  if (length > KEPT / 2) {
    old = young;
    young = new Map();
    length = 0;
  }
  return text;
}

function keptOf(text: Text): Kept {
  return text.ascii ? text.text : text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ASCII = /^[\x00-\x7f]*$/;

function textOf(value: unknown): Text {
  const text = jsonText(value);
  return { text, ascii: ASCII.test(text) };
}
