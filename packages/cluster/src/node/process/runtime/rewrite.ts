import type { Mount } from "../volume/volumes.ts";

export interface RewriteRules {
  readonly mounts: readonly Pick<Mount, "source" | "path">[];
  /** The pod's own address. */
  readonly address: string;
  /** The address a name stands for in the pod's namespace. */
  resolve(name: string): string | undefined;
}

/** A name with its domain; and any name where an address must be: after "//" or "@", or before a port. */
const FULL = /\b[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+\.svc(?:\.cluster\.local)?\b\.?/g;
const PLACED = /(?<=\/\/|@)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?=[:/,]|$)|(?<![\w.:/@-])[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*(?=:\d{1,5}\b)/g;
/** "All addresses" as a number, in brackets, or as nothing before a port. */
const ANY = /(?<![\d.])0\.0\.0\.0(?![\d.])|\[::\]|(?<=^|=)(?=:\d{1,5}$)/g;

/**
 * What a text of the pod means where there is neither a file system nor a network of its own: mounted paths where they
 * really are, names by their addresses, "all addresses" by the pod's own.
 */
export function rewrite(text: string, { mounts, address, resolve }: RewriteRules): string {
  const named = text
    .replace(FULL, (name) => resolve(name.replace(/\.$/, "")) ?? name)
    .replace(PLACED, (name) => resolve(name) ?? name)
    .replace(ANY, address);
  return underMounts(named, mounts);
}

/** The longest mount path counts, and only as a whole: "/data" is not part of "/database". */
export function underMounts(text: string, mounts: readonly Pick<Mount, "source" | "path">[]): string {
  const sorted = [...mounts].filter(({ path }) => path !== "/").sort((a, b) => b.path.length - a.path.length);
  if (sorted.length === 0) return text;
  const sources = new Map(sorted.map(({ path, source }) => [path, source]));
  const paths = sorted.map(({ path }) => path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return text.replace(new RegExp(`(?<![\\w./-])(${paths})(?![\\w.-])`, "g"), (path) => sources.get(path) ?? path);
}
