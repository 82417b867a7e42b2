import { isIP } from "node:net";

/** Returns whether Go's mail.ParseAddress accepts the text: `a@b`, or `A Name <a@b>`. */
export function isEmailAddress(text: string): boolean {
  const reader: AddressReader = { text, at: 0 };
  const count = readAddress(reader, true);
  return count === 1 && skipComments(reader) && reader.at === text.length;
}

interface AddressReader {
  readonly text: string;
  at: number;
}

/** Reads an address, or a group of addresses. Returns how many there were; undefined if the text is invalid. */
function readAddress(reader: AddressReader, allowsGroup: boolean): number | undefined {
  skipSpace(reader);
  const start = reader.at;
  if (readAddressSpec(reader)) {
    skipSpace(reader);
    return peek(reader) === "(" && !skipComment(reader) ? undefined : 1;
  }
  reader.at = start;
  if (peek(reader) !== "<" && !readPhrase(reader)) return undefined;
  skipSpace(reader);
  if (allowsGroup && consume(reader, ":")) return readGroup(reader);
  return consume(reader, "<") && readAddressSpec(reader) && consume(reader, ">") ? 1 : undefined;
}

function readGroup(reader: AddressReader): number | undefined {
  skipSpace(reader);
  if (consume(reader, ";")) return 0;
  for (let count = 1; ; count++) {
    if (readAddress(reader, false) === undefined || !skipComments(reader)) return undefined;
    if (consume(reader, ";")) return count;
    if (!consume(reader, ",")) return undefined;
  }
}

function readAddressSpec(reader: AddressReader): boolean {
  skipSpace(reader);
  const local = peek(reader) === '"' ? readQuoted(reader) : readAtom(reader);
  const isLocal = local !== undefined && (local.startsWith('"') ? local !== '""' : isDotAtom(local));
  if (!isLocal || !consume(reader, "@")) return false;
  skipSpace(reader);
  if (peek(reader) === "[") return isIP(readWith(reader, DOMAIN_LITERAL)?.slice(1, -1) ?? "") !== 0;
  const domain = readAtom(reader);
  return domain !== undefined && isDotAtom(domain);
}

/** One word or more, separated by space and comments. */
function readPhrase(reader: AddressReader): boolean {
  for (let words = 0; ; words++) {
    if (words > 0 && !skipComments(reader)) return false;
    skipSpace(reader);
    const word = peek(reader) === '"' ? readQuoted(reader) : readAtom(reader);
    if (word === undefined) return words > 0;
    const charset = /^=\?([^?]+)\?[qb]\?[^?]*\?=$/i.exec(word)?.[1];
    if (charset !== undefined && !/^(?:utf-8|iso-8859-1|us-ascii)$/i.test(charset)) return words > 0;
  }
}

const ATOM = /[A-Za-z0-9!#$%&'*+\-./=?^_`{|}~\u0080-\u{10ffff}]+/uy;
const QUOTED = /"(?:[\t !#-[\]-~\u0080-\u{10ffff}]|\\[\t -~\u0080-\u{10ffff}])*"/uy;
const DOMAIN_LITERAL = /\[[^[\]\\\s]*\]/uy;

const readAtom = (reader: AddressReader) => readWith(reader, ATOM);
const readQuoted = (reader: AddressReader) => readWith(reader, QUOTED);
const isDotAtom = (atom: string) => !atom.startsWith(".") && !atom.endsWith(".") && !atom.includes("..");

function readWith(reader: AddressReader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0];
  reader.at += found?.length ?? 0;
  return found;
}

function skipComments(reader: AddressReader): boolean {
  skipSpace(reader);
  while (peek(reader) === "(") {
    if (!skipComment(reader)) return false;
    skipSpace(reader);
  }
  return true;
}

/** Comments may be nested. */
function skipComment(reader: AddressReader): boolean {
  let depth = 0;
  while (reader.at < reader.text.length) {
    const character = reader.text[reader.at++];
    if (character === "\\" && reader.at < reader.text.length) reader.at++;
    else if (character === "(") depth++;
    else if (character === ")" && --depth === 0) return true;
  }
  return false;
}

function skipSpace(reader: AddressReader): void {
  while (peek(reader) === " " || peek(reader) === "\t") reader.at++;
}

function consume(reader: AddressReader, character: string): boolean {
  if (peek(reader) !== character) return false;
  reader.at++;
  return true;
}

const peek = ({ text, at }: AddressReader) => text[at];
