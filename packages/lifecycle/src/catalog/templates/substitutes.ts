import { PintleError } from "pintle/internal/errors";
import { quoteGoString } from "pintle/internal/go-format";
import { isJsonObject, type Json } from "pintle/internal/json";
import { readMeta, validateBlobs } from "../../fbc/index.ts";
import { compareVersionReleases, parseRelease, parseVersion, type VersionRelease } from "../../versions/index.ts";
import { type CatalogBlob, propertiesOf } from "../blob-value.ts";
import { csvOf } from "../migrate-bundle.ts";
import { field, type RenderReference, readEntries, type Template } from "./read-template.ts";

interface Substitution {
  /** The image that takes the place. */
  readonly name: string;
  /** The bundle whose place it takes. */
  readonly base: string;
}

interface ChannelEntryDraft {
  readonly name: string;
  replaces?: string;
  skips?: string[];
  skipRange?: string;
}

/** The entries of the template, in whose upgrade graphs some bundles are replaced by newer releases. */
export async function renderSubstitutesTemplate(template: Template, render: RenderReference): Promise<readonly CatalogBlob[]> {
  let blobs = readEntries(template);
  validate(blobs, "entries are not valid FBC");
  const bases = new Set<string>();
  const candidates = new Map<string, string>();
  for (const substitution of readSubstitutions(template)) {
    const { name, base } = substitution;
    if (bases.has(base)) throw invalid(`render: cannot reuse the same substitution base ${quoteGoString(base)}`);
    bases.add(base);
    const other = candidates.get(name);
    if (other !== undefined) {
      const used = `(${quoteGoString(other)} and ${quoteGoString(base)})`;
      throw invalid(`render: cannot reuse the same substitution ${quoteGoString(name)} for different bases ${used}`);
    }
    candidates.set(name, base);
    try {
      blobs = await substitute(blobs, substitution, render);
    } catch (error) {
      const what = `render: error processing substitution ${quoteGoString(base)} -> ${quoteGoString(name)}`;
      throw invalid(`${what}: ${(error as Error).message}`);
    }
  }
  return blobs;
}

function readSubstitutions({ value }: Template): readonly Substitution[] {
  const list = field(value, "substitutions");
  return (Array.isArray(list) ? (list as readonly Json[]) : []).map((item) => {
    const { name, base } = isJsonObject(item) ? { name: field(item, "name"), base: field(item, "base") } : { name: "", base: "" };
    return { name: typeof name === "string" ? name : "", base: typeof base === "string" ? base : "" };
  });
}

async function substitute(
  blobs: readonly CatalogBlob[],
  { name, base }: Substitution,
  render: RenderReference,
): Promise<readonly CatalogBlob[]> {
  if (name === "") throw invalid("substitution name cannot be empty");
  if (base === "") throw invalid("substitution base cannot be empty");
  if (name === base) throw invalid("substitution name and base cannot be the same");
  const bundle = (await render(name)).find(({ schema }) => schema === "olm.bundle");
  if (bundle === undefined) throw invalid(`rendered bundle image reference ${quoteGoString(name)} contains no bundles`);
  const version = readVersion(bundle, `substitute bundle ${quoteGoString(name)}`);
  const baseBundle = blobs.find((blob) => blob.schema === "olm.bundle" && blob.name === base);
  if (baseBundle === undefined) throw invalid(`base bundle ${quoteGoString(base)} does not exist in catalog`);
  if (compareVersionReleases(readVersion(baseBundle, `base bundle ${quoteGoString(base)}`), version) >= 0) {
    throw invalid(`base bundle ${quoteGoString(base)} is not less than substitute bundle ${quoteGoString(name)}`);
  }
  const replaced = blobs.map((blob) => (blob.schema === "olm.channel" ? replaceInChannel(blob, base, bundle.name) : blob));
  const result = [...replaced, bundle];
  validate(result, "resulting config is not valid FBC", "");
  return result;
}

function replaceInChannel(channel: CatalogBlob, base: string, substitute: string): CatalogBlob {
  const entries = structuredClone((channel.value["entries"] ?? []) as unknown as ChannelEntryDraft[]);
  const originals = entries.length;
  for (let i = originals - 1; i >= 0; i--) {
    const entry = entries[i]!;
    if (entry.name !== base) continue;
    const { name, ...edges } = entry;
    entries.push({ name: substitute, ...edges, skips: [...(edges.skips ?? []), base] });
    entries[i] = { name };
  }
  for (const entry of entries.slice(0, originals)) {
    if (entry.replaces === base) {
      entry.replaces = substitute;
      entry.skips = [...(entry.skips ?? []), base];
    } else if (entry.skips?.includes(base)) {
      entry.skips = [...entry.skips.filter((skip) => skip !== base), substitute];
    }
  }
  const ordered = entries.map(({ name, replaces, skips, skipRange }) => ({
    name,
    ...(replaces ? { replaces } : {}),
    ...(skips === undefined || skips.length === 0 ? {} : { skips }),
    ...(skipRange ? { skipRange } : {}),
  }));
  return { ...channel, value: { ...channel.value, entries: ordered } };
}

/** The version and release of a bundle. Build metadata is the release of bundles whose CSV says that it substitutes another. */
function readVersion(bundle: CatalogBlob, what: string): VersionRelease {
  const refuse = (why: string) => invalid(`failed to get VersionRelease for ${what}: ${why}`);
  const shown = quoteGoString(bundle.name);
  const packages = propertiesOf(bundle).filter(({ type }) => type === "olm.package");
  const value = packages[0]?.value;
  if (value === undefined || !isJsonObject(value)) throw refuse(`no "olm.package" property found for bundle ${shown}`);
  if (packages.length > 1) throw refuse('must be exactly one property of type "olm.package"');
  const parse = <T>(label: string, text: string, read: (text: string) => T): T => {
    try {
      return read(text);
    } catch (error) {
      throw refuse(`invalid ${label} ${quoteGoString(text)} in "olm.package" property for bundle ${shown}: ${(error as Error).message}`);
    }
  };
  const version = parse("semver version", String(value["version"] ?? ""), parseVersion);
  const release = parse("release", String(value["release"] ?? ""), parseRelease);
  if (release.length > 0 || version.build.length === 0 || !isSubstitute(bundle)) return { version, release };
  try {
    return { version: { ...version, build: [] }, release: parseRelease(version.build.join(".")) };
  } catch (error) {
    throw refuse(`unable to convert build metadata to release for bundle ${shown}: ${(error as Error).message}`);
  }
}

function isSubstitute(bundle: CatalogBlob): boolean {
  const properties = propertiesOf(bundle);
  const annotationsOf = (value: Json | undefined) => (value !== undefined && isJsonObject(value) ? value["annotations"] : undefined);
  const csvMetadata = properties.filter(({ type }) => type === "olm.csv.metadata").map(({ value }) => annotationsOf(value));
  const found = [annotationsOf(csvOf(bundle)?.["metadata"]), ...csvMetadata];
  return found.some(
    (annotations) => annotations !== undefined && isJsonObject(annotations) && (annotations["olm.substitutesFor"] ?? "") !== "",
  );
}

function validate(blobs: readonly CatalogBlob[], what: string, prefix = "render: "): void {
  try {
    validateBlobs(blobs.map(({ value }) => readMeta(value)));
  } catch (error) {
    throw new PintleError("PINTLE8040", `${prefix}${what}: ${(error as Error).message}`);
  }
}

function invalid(message: string): PintleError {
  return new PintleError("PINTLE8040", message);
}
