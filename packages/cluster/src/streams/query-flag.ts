import type { QueryParameters } from "../api/index.ts";

/** Parses a boolean as Go's query codec does: present and neither "false" nor "0". */
export function parseQueryFlag(query: QueryParameters, name: string): boolean {
  const value = query.get(name)?.[0]?.toLowerCase();
  return value !== undefined && value !== "false" && value !== "0";
}
