import { type Stats, statSync } from "node:fs";

/** Why a path cannot be read as a file of a bundle or a catalog; undefined if it can. Links are followed. */
export function findFileProblem(path: string, maxBytes = Number.POSITIVE_INFINITY): string | undefined {
  let found: Stats;
  try {
    found = statSync(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "is a link to a file that does not exist";
    return code === "ELOOP" ? "is a link that leads back to itself" : `cannot be read: ${message}`;
  }
  if (found.isDirectory()) return "is a link to a folder: only links to files are followed";
  if (!found.isFile()) return "is a pipe, a socket or a device, not a file";
  return found.size > maxBytes ? `has ${found.size} bytes, more than ${maxBytes >> 20} MiB` : undefined;
}
