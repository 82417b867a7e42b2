import { randomUUID } from "node:crypto";

/** Like `JSON.stringify`, but encodes bigint values as integers. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return stringifyWithBigInts(value, indent);
  }
}

/** Marks a bigint in the intermediate text; random, so that no value can contain it. */
const BIGINT_MARK = randomUUID();
const MARKED_BIGINT = new RegExp(`"${BIGINT_MARK}(-?\\d+)"`, "g");

function stringifyWithBigInts(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? `${BIGINT_MARK}${part}` : part), indent);
  return text.replace(MARKED_BIGINT, "$1");
}
