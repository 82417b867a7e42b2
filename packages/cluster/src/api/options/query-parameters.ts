import { parseShortInteger } from "pintle/internal/text";
import { badRequest } from "../../status/index.ts";
import type { QueryParameters } from "../request/api-request.ts";

/** Parses an integer parameter; undefined when absent or empty. Throws 400. */
export function parseIntegerParameter(query: QueryParameters, name: string): number | undefined {
  const text = query.get(name)?.[0];
  if (text === undefined || text === "") return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = parseShortInteger(text);
  if (value === undefined || BigInt.asIntN(64, value) !== value)
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  return Number(value);
}

/** Parses a boolean parameter; undefined when absent. */
export function parseBooleanParameter(query: QueryParameters, name: string): boolean | undefined {
  const text = query.get(name)?.[0]?.toLowerCase();
  return text === undefined ? undefined : text !== "false" && text !== "0";
}
