import { PintleError } from "pintle/internal/errors";
import type { CatalogBundle, CatalogChannel, ChannelEntry } from "../fbc/index.ts";
import {
  compareVersionReleases,
  parseBlangRange,
  parseExplicitRelease,
  parseLegacyVersion,
  parseVersion,
  type VersionRange,
  type VersionRelease,
} from "../versions/index.ts";
import { readVersionRelease } from "./bundle-version.ts";
import type { InstalledBundle, ResolutionRequest } from "./request.ts";

/** A rule that a bundle must fulfil to be installed. */
export type BundleRule = "not in a requested channel" | "not in the version range" | "no upgrade from the installed bundle";

/** What the rules are evaluated with, for one catalog. */
export interface RuleContext {
  readonly request: ResolutionRequest;
  readonly range: VersionRange | undefined;
  /** The installed version, if upgrades must follow the graph of the catalog. */
  readonly current: VersionRelease | undefined;
  /** The requested channels; all if none is requested. */
  readonly channels: readonly CatalogChannel[];
}

/** The first rule that a bundle violates; undefined if it fulfils all. */
export function findRemovingRule(bundle: CatalogBundle, context: RuleContext): BundleRule | undefined {
  const { request, range, current, channels } = context;
  const entries = channels.flatMap((channel) => channel.entries.filter(({ name }) => name === bundle.name));
  if ((request.channels ?? []).length > 0 && entries.length === 0) return "not in a requested channel";
  if (range !== undefined && !isInRange(bundle, range, request)) return "not in the version range";
  const { installed } = request;
  if (installed === undefined || current === undefined) return undefined;
  if (entries.some((entry) => upgradesFrom(entry, installed)) || isSame(bundle, current, request)) return undefined;
  return "no upgrade from the installed bundle";
}

function isInRange(bundle: CatalogBundle, range: VersionRange, request: ResolutionRequest): boolean {
  try {
    return range(readVersionRelease(bundle, request).version);
  } catch {
    return false;
  }
}

function isSame(bundle: CatalogBundle, current: VersionRelease, request: ResolutionRequest): boolean {
  try {
    return compareVersionReleases(current, readVersionRelease(bundle, request)) === 0;
  } catch {
    return false;
  }
}

/** Whether a channel entry replaces or skips the installed bundle. A skipRange that cannot be parsed covers nothing. */
function upgradesFrom(entry: ChannelEntry, installed: InstalledBundle): boolean {
  if (entry.replaces === installed.name || entry.skips?.includes(installed.name)) return true;
  if (entry.skipRange === undefined || entry.skipRange === "") return false;
  try {
    return parseBlangRange(entry.skipRange)(parseVersion(installed.version));
  } catch {
    return false;
  }
}

/** The installed version that upgrades start from; undefined if nothing is installed, or the upgrade graph is to be ignored. */
export function parseInstalled({ installed, upgradeConstraintPolicy }: ResolutionRequest): VersionRelease | undefined {
  if (installed === undefined || upgradeConstraintPolicy === "SelfCertified") return undefined;
  const { version, release } = installed;
  try {
    return release === undefined ? parseLegacyVersion(version) : parseExplicitRelease(version, release);
  } catch (error) {
    const what =
      release === undefined
        ? "failed to get version and release of installed bundle"
        : "failed to parse installed bundle version and release";
    const why = error instanceof Error ? error.message : String(error);
    throw new PintleError("PINTLE8004", `error walking catalogs: error finding upgrade edges: ${what}: ${why}`);
  }
}
