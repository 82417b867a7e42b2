/**
 * Versions and releases as operator-registry reads them, and both dialects of version ranges. The texts of errors are those of the Go libraries
 * blang/semver and Masterminds/semver. Pure.
 */
export { parseBlangRange, type VersionRange } from "./blang-range.ts";
export { parseMastermindsRange } from "./masterminds-range.ts";
export { compareVersionReleases, parseExplicitRelease, parseLegacyVersion, parseRelease, type VersionRelease } from "./release.ts";
export {
  comparePreReleases,
  compareVersions,
  formatVersion,
  type PreRelease,
  parseTolerantVersion,
  parseVersion,
  type Version,
} from "./version.ts";
