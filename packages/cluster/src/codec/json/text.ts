import { randomUUID } from "node:crypto";

/** JSON.stringify, which knows no integers beyond 2^53: those are written by hand. */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return withBigIntegers(value, indent);
  }
}

/** Stands for an integer until it is written; nobody can have put it into a text of their own. */
const MARK = randomUUID();
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, "g");

function withBigIntegers(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? `${MARK}${part}` : part), indent);
  return text.replace(MARKED, "$1");
}
