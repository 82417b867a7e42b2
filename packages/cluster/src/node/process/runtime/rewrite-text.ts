import type { ResolvedMount } from "../volume/volume-manager.ts";

export interface RewriteOptions {
  readonly mounts: readonly Pick<ResolvedMount, "source" | "path">[];
  /** The pod's address. */
  readonly address: string;
  /** Resolves a name in the pod's namespace to an address. */
  resolve(name: string): string | undefined;
}

/** The characters of names. A fully qualified service name ends like this. */
const NAME = /[\w.-]+/g;
const FULL_NAME_ENDING = /\.svc(?:\.cluster\.local)?\.?$/;
/** A host name in the place of an address: after "//" or "@", or before a port. */
const HOST_NAME = /(?<=\/\/|@)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?=[:/,]|$)|(?<![\w.:/@-])[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*(?=:\d{1,5}\b)/g;
/** The unspecified address: 0.0.0.0, [::], or an empty host before a port. */
const UNSPECIFIED_ADDRESS = /(?<![\d.])0\.0\.0\.0(?![\d.])|\[::\]|(?<=^|=)(?=:\d{1,5}$)/g;

/**
 * Rewrites a text of the pod for a process without a file system and network of its own: mount paths to their sources, service names to
 * addresses, the unspecified address to the pod's.
 */
export function rewriteText(text: string, { mounts, address, resolve }: RewriteOptions): string {
  const named = text
    .replace(NAME, (name) => (FULL_NAME_ENDING.test(name) ? resolve(name.replace(/\.$/, "")) : undefined) ?? name)
    .replace(HOST_NAME, (name) => resolve(name) ?? name)
    .replace(UNSPECIFIED_ADDRESS, address);
  return rewriteMountPaths(named, mounts);
}

/** Replaces mount paths by their sources. The longest path wins, and only as a whole: "/data" does not match "/database". */
export function rewriteMountPaths(text: string, mounts: readonly Pick<ResolvedMount, "source" | "path">[]): string {
  const sorted = [...mounts].filter(({ path }) => path !== "/").sort((a, b) => b.path.length - a.path.length);
  if (sorted.length === 0) return text;
  const sources = new Map(sorted.map(({ path, source }) => [path, source]));
  const paths = sorted.map(({ path }) => path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return text.replace(new RegExp(`(?<![\\w./-])(${paths})(?![\\w.-])`, "g"), (path) => sources.get(path) ?? path);
}
