import { isJsonObject, type Json, parseJson } from "../json/index.ts";

/** A text by which a secret is found: the start of it, and its length. */
export interface SecretForm {
  readonly start: string;
  readonly length: number;
}

/** Longer forms are found by their start: a Secret can hold a megabyte, and there are several forms of each value. */
const MAX_START = 256;
const toForm = (text: string): SecretForm => ({ start: text.slice(0, MAX_START), length: text.length });

/**
 * Returns the forms in which a program prints a value: as it is, with "+" for spaces as in URLs, as base64 also within a longer text, as hexadecimal digits,
 * and as a list of bytes. Escapes of JSON, URLs and HTML are none of them: texts are searched without escapes, too.
 */
export function formsOfText(value: string): readonly SecretForm[] {
  const texts = [value, value.replaceAll(" ", "+")];
  return [...texts.map(toForm), ...formsOfBytes(Buffer.from(value))];
}

/** Returns the forms of bytes that are no text. */
export function formsOfBytes(bytes: Uint8Array): readonly SecretForm[] {
  const hex = Buffer.from(bytes).toString("hex");
  const base64 = [Buffer.from(bytes).toString("base64"), ...[0, 1, 2].map((offset) => encodeWithin(bytes, offset))];
  const urlSafe = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""));
  return [...new Set([...base64, ...urlSafe, hex, hex.toUpperCase(), bytes.join(",")])].map(toForm);
}

/** The characters that the bytes have in the base64 of a longer text, where they begin `offset` bytes into a group of three. */
function encodeWithin(bytes: Uint8Array, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

const SENSITIVE_NAME =
  /(^|[^a-z])(auth|pass|pwd|passwd|password|passphrase|token|secret|credentials?|key|apikey)$|password|passwd|secret|token/i;
const ASSIGNMENT = /^\s*(?:export\s+)?["']?([\w.-]{1,100})["']?\s*[:=]\s*["']?([^\s"']{8,})["']?,?\s*$/;
const MIN_LINE = 16;
const MAX_PARTS = 1_000;
/** Of a larger value, no parts are looked for. */
const MAX_TEXT = 64 * 1024;

/** Returns whether a name, such as that of an environment variable, says that its value is a secret. */
export const isSensitiveName = (name: string): boolean => SENSITIVE_NAME.test(name);

/**
 * Returns the parts of a value that are secrets by themselves: the password of a URL, what a name in JSON or in a line `name = value` calls a secret, lines of a
 * key, and the text in base64.
 */
export function findSecretParts(value: string): readonly string[] {
  if (value.length > MAX_TEXT) return [];
  const parts = new Set<string>();
  const add = (part: string) => void (part.length >= 6 && part !== value && parts.size < MAX_PARTS && parts.add(part));
  const trimmed = value.trim();
  add(trimmed);
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? URL.parse(trimmed) : null;
  for (const part of url === null ? [] : [url.password, decodeComponent(url.password)]) add(part);
  const decoded = decodeBase64(trimmed);
  if (decoded !== undefined) add(decoded);
  if (/^[[{]/.test(trimmed)) visitJson(tryParse(trimmed), "", add);
  const lines = trimmed.split("\n");
  for (const line of lines.length > 1 ? lines.map((each) => each.trim()) : lines) {
    const [, name = "", assigned = ""] = ASSIGNMENT.exec(line) ?? [];
    if (isSensitiveName(name)) add(assigned);
    if (lines.length > 1 && line.length >= MIN_LINE && !/\s/.test(line)) add(line);
  }
  return [...parts];
}

function visitJson(value: Json | undefined, name: string, add: (part: string) => void): void {
  if (typeof value === "string") {
    if (!isSensitiveName(name)) return;
    add(value);
    // The form of credentials of registries: "user:password" in base64.
    const decoded = decodeBase64(value);
    if (decoded !== undefined) add(decoded.slice(decoded.indexOf(":") + 1));
  } else if (Array.isArray(value)) for (const item of value as readonly Json[]) visitJson(item, name, add);
  else if (isJsonObject(value)) for (const [key, field] of Object.entries(value)) visitJson(field, key, add);
}

/** The printable text that a value is the base64 of; undefined if it is not. */
function decodeBase64(value: string): string | undefined {
  if (!/^[A-Za-z0-9+/]{8,}={0,2}$/.test(value) || value.length % 4 !== 0) return undefined;
  const bytes = Buffer.from(value, "base64");
  const text = bytes.toString("utf8");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: text without control characters is what is looked for
  return Buffer.from(text).equals(bytes) && !/[\u0000-\u0008\u000e-\u001f\ufffd]/.test(text) ? text.trim() : undefined;
}

function decodeComponent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function tryParse(text: string): Json | undefined {
  try {
    return parseJson(Buffer.from(text)) as Json;
  } catch {
    return undefined;
  }
}
