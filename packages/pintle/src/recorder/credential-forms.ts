/** A credential that is known by its form, and its place in a text. */
export interface FoundCredential {
  /** "a private key" */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** All of them are longer. */
const MIN_LENGTH = 20;
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/g;
const KEY_END = "-----END";
const HEADER = /authorization["']?\s?[:=]\s?["']?(?:Bearer|Basic) [A-Za-z0-9+/._~-]{8}/gi;
const HEADER_VALUE = /[A-Za-z0-9+/._~=-]*/y;

/** Finds private keys, JSON web tokens and authorization headers of any client. */
export function findCredentials(text: string): readonly FoundCredential[] {
  if (text.length < MIN_LENGTH) return [];
  return [...findPrivateKeys(text), ...findWebTokens(text), ...findHeaders(text)];
}

function findPrivateKeys(text: string): readonly FoundCredential[] {
  if (!text.includes("PRIVATE KEY-----")) return [];
  const found: FoundCredential[] = [];
  for (const match of text.matchAll(PRIVATE_KEY)) {
    if (match.index < (found.at(-1)?.end ?? 0)) continue;
    // A key whose end is missing was cut.
    const end = text.indexOf(KEY_END, match.index);
    found.push({ name: "a private key", start: match.index, end: end < 0 ? text.length : end });
  }
  return found;
}

/** Header and payload of a JSON web token are JSON objects in base64url, which start with these letters. */
const WEB_TOKEN = "eyJ";
const MIN_SIGNATURE = 10;

function findWebTokens(text: string): readonly FoundCredential[] {
  if (!text.includes(`.${WEB_TOKEN}`)) return [];
  const found: FoundCredential[] = [];
  for (const match of text.matchAll(/[A-Za-z0-9_.-]+/g)) {
    const parts = match[0].split(".");
    let at = match.index;
    for (const [i, part] of parts.entries()) {
      const [, payload = "", signature = ""] = parts.slice(i, i + 3);
      const start = part.indexOf(WEB_TOKEN);
      if (start >= 0 && payload.startsWith(WEB_TOKEN) && signature.length > MIN_SIGNATURE)
        found.push({ name: "a JSON web token", start: at + start, end: at + part.length + payload.length + signature.length + 2 });
      at += part.length + 1;
    }
  }
  return found;
}

function findHeaders(text: string): readonly FoundCredential[] {
  if (!text.includes("earer ") && !text.includes("asic ")) return [];
  return [...text.matchAll(HEADER)].map((match) => {
    const start = match.index + match[0].lastIndexOf(" ") + 1;
    HEADER_VALUE.lastIndex = start;
    return { name: "an authorization header", start, end: start + (HEADER_VALUE.exec(text)?.[0].length ?? 0) };
  });
}
