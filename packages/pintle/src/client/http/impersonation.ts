import type { Impersonation } from "../access/index.ts";

/** Keys of `extra` become part of a header's name, where few characters may stand. */
export function impersonationHeaders(as: Impersonation | undefined): Record<string, string | string[]> {
  if (as === undefined) return {};
  const headers: Record<string, string | string[]> = { "impersonate-user": as.user };
  if (as.uid !== undefined) headers["impersonate-uid"] = as.uid;
  if (as.groups !== undefined && as.groups.length > 0) headers["impersonate-group"] = [...as.groups];
  for (const [key, values] of Object.entries(as.extra ?? {})) headers[`impersonate-extra-${headerName(key)}`] = [...values];
  return headers;
}

function headerName(key: string): string {
  const bytes = Buffer.from(key.toLowerCase());
  let name = "";
  for (const byte of bytes) {
    const char = String.fromCharCode(byte);
    name += /[a-z0-9!#$&'*+.^_`|~-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return name;
}
