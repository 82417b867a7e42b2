import { PintleError } from "pintle/internal/errors";
import { quoteGoString } from "pintle/internal/go-format";
import { comparePreReleases, compareVersions, type PreRelease, parsePreRelease, parseVersion, type Version } from "./version.ts";

const MAX_RELEASE_LENGTH = 20;

/** A version, and which publication of this version a bundle is. An empty release is the lowest. */
export interface VersionRelease {
  readonly version: Version;
  readonly release: readonly PreRelease[];
}

/** Orders by version, then by release. */
export function compareVersionReleases(a: VersionRelease, b: VersionRelease): number {
  return compareVersions(a.version, b.version) || comparePreReleases(a.release, b.release);
}

/** Parses a release such as `1.el9`; the empty text is the empty release. */
export function parseRelease(text: string): readonly PreRelease[] {
  if (text === "") return [];
  const quoted = quoteGoString(text);
  if (Buffer.byteLength(text) > MAX_RELEASE_LENGTH) {
    throw new PintleError("PINTLE8003", `invalid release ${quoted}: exceeds maximum length of ${MAX_RELEASE_LENGTH} characters`);
  }
  const problems: string[] = [];
  const release: PreRelease[] = [];
  text.split(".").forEach((segment, i) => {
    try {
      release.push(parsePreRelease(segment));
    } catch (error) {
      problems.push(`segment ${i}: ${messageOf(error)}`);
    }
  });
  if (problems.length > 0) throw new PintleError("PINTLE8003", `invalid release ${quoted}: ${problems.join("\n")}`);
  return release;
}

/** Parses the version of a registry+v1 bundle, whose build metadata is its release wherever it can be read as one. */
export function parseLegacyVersion(text: string): VersionRelease {
  const version = parseVersion(text);
  if (version.build.length === 0) return { version, release: [] };
  try {
    return { version: { ...version, build: [] }, release: parseRelease(version.build.join(".")) };
  } catch {
    return { version, release: [] };
  }
}

/** Parses version and release from separate fields. */
export function parseExplicitRelease(version: string, release: string): VersionRelease {
  const within = <T>(what: string, text: string, parse: (text: string) => T): T => {
    try {
      return parse(text);
    } catch (error) {
      throw new PintleError("PINTLE8003", `error parsing ${what} ${quoteGoString(text)}: ${messageOf(error)}`);
    }
  };
  return { version: within("version", version, parseVersion), release: within("release", release, parseRelease) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
