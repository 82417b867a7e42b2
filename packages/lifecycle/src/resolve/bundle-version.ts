import { PintleError } from "pintle/internal/errors";
import { quoteGoString } from "pintle/internal/go-format";
import type { CatalogBundle } from "../fbc/index.ts";
import { parseExplicitRelease, parseLegacyVersion, type VersionRelease } from "../versions/index.ts";

/** Reads version and release from the first `olm.package` property of a bundle. */
export function readVersionRelease(bundle: CatalogBundle, gates: { readonly bundleReleaseSupport?: boolean } = {}): VersionRelease {
  const property = bundle.properties?.find(({ type }) => type === "olm.package");
  if (property === undefined) {
    throw new PintleError("PINTLE8004", `no package property found in bundle ${quoteGoString(bundle.name)}`);
  }
  const fields = foldKeys(property.value);
  const version = fields["version"] ?? "";
  const release = fields["release"];
  if (typeof version !== "string" || (release !== undefined && release !== null && typeof release !== "string")) {
    throw new PintleError("PINTLE8004", "error unmarshalling package property: version and release must be strings");
  }
  if (gates.bundleReleaseSupport === true && typeof release === "string") return parseExplicitRelease(version, release);
  return parseLegacyVersion(version);
}

/** The fields of an object with keys in lower case, because encoding/json matches them without case. */
function foldKeys(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key.toLowerCase(), field]));
}
