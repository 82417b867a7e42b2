import type { Query } from "../api/index.ts";

/** As Go's query codec reads booleans: present and neither "false" nor "0". */
export function flag(query: Query, name: string): boolean {
  const value = query.get(name)?.[0]?.toLowerCase();
  return value !== undefined && value !== "false" && value !== "0";
}
