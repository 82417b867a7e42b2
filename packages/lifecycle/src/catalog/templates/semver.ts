import { PintleError } from "pintle/internal/errors";
import { quoteGoString } from "pintle/internal/go-format";
import { isJsonObject, type Json, type JsonObject } from "pintle/internal/json";
import { compareVersions, formatVersion, parseVersion, type Version } from "../../versions/index.ts";
import { type CatalogBlob, propertiesOf } from "../blob-value.ts";
import { csvOf } from "../migrate-bundle.ts";
import { field, type RenderReference, type Template } from "./read-template.ts";

/** From the least stable to the most stable. */
const ARCHETYPES = ["candidate", "fast", "stable"] as const;
/** From the least preferred to the most preferred. */
const STREAMS = ["major", "minor"] as const;
type Stream = (typeof STREAMS)[number];

interface SemverSettings {
  readonly streams: readonly Stream[];
  readonly preferred: Stream;
  /** The images per archetype. */
  readonly images: readonly (readonly string[])[];
}

interface VersionedBundle {
  readonly name: string;
  readonly version: Version;
}

interface SemverEntry {
  readonly name: string;
  replaces?: string;
  skips?: readonly string[];
}

/** An entry with what decides about its edges. */
interface EntryPlace extends VersionedBundle {
  readonly archetype: number;
  readonly stream: Stream;
  readonly entry: SemverEntry;
}

/** Channels per archetype and major or minor version, whose edges follow from the versions. */
export async function renderSemverTemplate(template: Template, render: RenderReference): Promise<readonly CatalogBlob[]> {
  const settings = readSettings(template);
  const rendered = new Map<string, CatalogBlob>();
  for (const image of new Set(settings.images.flat())) {
    const blobs = (await render(image)).filter(({ schema }) => schema === "olm.bundle");
    const [bundle] = blobs;
    if (bundle === undefined || blobs.length !== 1) {
      throw invalid(`bundle reference ${quoteGoString(image)} resulted in ${blobs.length} bundles, expected 1`);
    }
    rendered.set(image, bundle);
  }
  if (rendered.size === 0) throw invalid("render: no bundles specified or no bundles could be rendered");
  const packageName = { name: "" };
  const archetypes = settings.images.map((images) => readVersions(images, rendered, packageName));
  const { channels, defaultChannel } = linkChannels(archetypes, settings);
  const blobs = [...rendered.values()];
  const head = channels.get(defaultChannel)?.at(-1)?.name;
  const headBundle = blobs.find(({ name }) => name === head);
  const csv = headBundle === undefined ? undefined : csvOf(headBundle);
  return [
    createPackage(packageName.name, defaultChannel, csv),
    ...[...channels].map(([name, entries]) => createChannel(packageName.name, name, entries)),
    ...blobs,
  ];
}

function readSettings({ value }: Template): SemverSettings {
  const known = ["schema", "generateMajorChannels", "generateMinorChannels", "defaultChannelTypePreference", ...ARCHETYPES];
  const unknown = Object.keys(value).find((key) => !known.some((name) => name.toLowerCase() === key.toLowerCase()));
  if (unknown !== undefined)
    throw unreadable(`error unmarshaling JSON: while decoding JSON: json: unknown field ${quoteGoString(unknown)}`);
  const isSet = (name: string) => {
    const flag = field(value, name) ?? false;
    if (typeof flag !== "boolean") throw unreadable(`${name} is not a boolean`);
    return flag;
  };
  const major = isSet("generateMajorChannels");
  const minor = isSet("generateMinorChannels") || !major;
  const preference = field(value, "defaultChannelTypePreference") ?? "";
  if (preference !== "" && preference !== "major" && preference !== "minor") {
    const given = quoteGoString(String(preference));
    throw unreadable(`unknown DefaultChannelTypePreference: ${given}\nValid values are 'major' or 'minor'`);
  }
  if ((preference === "minor" && !minor) || (preference === "major" && !major)) {
    throw unreadable(
      `schema attribute mismatch: DefaultChannelTypePreference set to '${preference}' doesn't make sense if not generating ${preference}-version channels`,
    );
  }
  return {
    streams: STREAMS.filter((stream) => (stream === "major" ? major : minor)),
    preferred: preference === "" ? (minor ? "minor" : "major") : preference,
    images: ARCHETYPES.map((name) => readImages(field(value, name))),
  };
}

function readImages(channel: Json | undefined): readonly string[] {
  const bundles = channel !== undefined && isJsonObject(channel) ? field(channel, "bundles") : undefined;
  return (Array.isArray(bundles) ? (bundles as readonly Json[]) : []).map((bundle) => {
    const image = isJsonObject(bundle) ? field(bundle, "image") : undefined;
    return typeof image === "string" ? image : "";
  });
}

function readVersions(
  images: readonly string[],
  rendered: ReadonlyMap<string, CatalogBlob>,
  packageName: { name: string },
): readonly VersionedBundle[] {
  const refuse = (why: string) => invalid(`render: unable to post-process bundle info: ${why}`);
  const bundles = new Map<string, Version>();
  for (const image of images) {
    const bundle = rendered.get(image)!;
    const shown = quoteGoString(bundle.name);
    const packages = propertiesOf(bundle).filter(({ type }) => type === "olm.package");
    const value = packages[0]?.value;
    if (packages.length !== 1 || value === undefined || !isJsonObject(value)) {
      throw refuse(`bundle ${shown} has multiple "olm.package" properties, expected exactly 1`);
    }
    const text = String(value["version"] ?? "");
    let version: Version;
    try {
      version = parseVersion(text);
    } catch (error) {
      throw refuse(`bundle ${shown} has invalid version ${quoteGoString(text)}: ${(error as Error).message}`);
    }
    const name = String(value["packageName"] ?? "");
    if (packageName.name !== "" && packageName.name !== name) {
      throw refuse(`bundle ${quoteGoString(name)} does not belong to this package: ${quoteGoString(packageName.name)}`);
    }
    packageName.name = name;
    if (bundles.has(bundle.name)) throw refuse(`duplicate bundle name ${shown}`);
    bundles.set(bundle.name, version);
  }
  const seen = new Set<string>();
  const conflicts: string[] = [];
  for (const version of bundles.values()) {
    const stripped = formatVersion({ ...version, build: [] });
    if (seen.has(stripped))
      conflicts.push(`bundle version ${quoteGoString(formatVersion(version))} cannot be compared to ${quoteGoString(stripped)}`);
    seen.add(stripped);
  }
  if (conflicts.length > 0) {
    const list = conflicts.length === 1 ? conflicts[0] : `[${conflicts.join(", ")}]`;
    throw refuse(`encountered bundle versions which differ only by build metadata, which cannot be ordered: ${list}`);
  }
  return [...bundles].map(([name, version]) => ({ name, version })).sort((a, b) => compareVersions(a.version, b.version));
}

/** Makes the channels, and chooses the default channel: the most stable one with the highest version, of the preferred stream. */
function linkChannels(
  archetypes: readonly (readonly VersionedBundle[])[],
  { streams, preferred }: SemverSettings,
): { readonly channels: ReadonlyMap<string, readonly SemverEntry[]>; readonly defaultChannel: string } {
  const channels = new Map<string, SemverEntry[]>();
  const places: EntryPlace[] = [];
  let best: { readonly archetype: number; readonly stream: Stream; readonly version: Version; readonly name: string } | undefined;
  archetypes.forEach((bundles, archetype) => {
    for (const { name, version } of bundles) {
      for (const stream of streams) {
        const { major, minor } = version;
        const channel = `${ARCHETYPES[archetype]}-v${major}${stream === "minor" ? `.${minor}` : ""}`;
        const entries = channels.get(channel);
        const entry: SemverEntry = { name };
        if (entries === undefined) {
          channels.set(channel, [entry]);
          const candidate = { archetype, stream, version, name: channel };
          if (isBetter(candidate, best, preferred)) best = candidate;
        } else entries.push(entry);
        places.push({ archetype, stream, name, version, entry });
      }
    }
  });
  linkEntries(places);
  return { channels, defaultChannel: best?.name ?? "" };
}

type Candidate = Omit<EntryPlace, "entry">;

function isBetter(a: Candidate, b: Candidate | undefined, preferred: Stream): boolean {
  // Channels of candidates that start at a version before 0.0.0 are never the default.
  if (b === undefined) return a.archetype > 0 || compareVersions(a.version, ZERO) >= 0;
  if (a.archetype !== b.archetype) return a.archetype > b.archetype;
  const order = compareVersions(a.version, b.version);
  if (order !== 0) return order > 0;
  return a.stream !== b.stream && a.stream === preferred;
}
const ZERO: Version = { major: 0n, minor: 0n, patch: 0n, pre: [], build: [] };

/**
 * Links each last patch version of a minor version to the one of the minor version before, within an archetype, a stream and a major version; it
 * skips all others.
 */
function linkEntries(places: EntryPlace[]): void {
  places.sort(
    (a, b) => a.archetype - b.archetype || STREAMS.indexOf(a.stream) - STREAMS.indexOf(b.stream) || compareVersions(a.version, b.version),
  );
  let previousLast = "";
  let skips: string[] = [];
  const link = ({ entry }: EntryPlace) => {
    if (previousLast !== "") entry.replaces = previousLast;
    const others = skips.filter((name) => name !== previousLast).sort();
    if (others.length > 0) entry.skips = others;
  };
  places.forEach((place, i) => {
    const previous = places[i - 1];
    if (previous === undefined) return;
    const isOther =
      place.archetype !== previous.archetype || place.stream !== previous.stream || place.version.major !== previous.version.major;
    const isOtherMinor = isOther || place.version.minor !== previous.version.minor;
    if (isOtherMinor) link(previous);
    if (isOther) {
      skips = [];
      previousLast = "";
    } else {
      if (isOtherMinor) previousLast = previous.name;
      if (!skips.includes(previous.name)) skips.push(previous.name);
    }
    if (i === places.length - 1 && !isOther) link(place);
  });
}

function createPackage(name: string, defaultChannel: string, csv: JsonObject | undefined): CatalogBlob {
  const spec = csv?.["spec"];
  const { description, icon } = spec !== undefined && isJsonObject(spec) ? spec : ({} as JsonObject);
  const first = Array.isArray(icon) ? (icon as readonly Json[])[0] : undefined;
  const fields = {
    schema: "olm.package",
    name,
    defaultChannel,
    ...(first !== undefined && isJsonObject(first)
      ? { icon: { base64data: first["base64data"] ?? null, mediatype: first["mediatype"] ?? "" } }
      : {}),
    ...(typeof description === "string" && description !== "" ? { description } : {}),
  };
  return { schema: "olm.package", package: name, name, value: fields };
}

function createChannel(packageName: string, name: string, entries: readonly SemverEntry[]): CatalogBlob {
  const list = entries.map(({ name: entry, replaces, skips }) => ({
    name: entry,
    ...(replaces === undefined ? {} : { replaces }),
    ...(skips === undefined ? {} : { skips: [...skips] }),
  }));
  return { schema: "olm.channel", package: packageName, name, value: { schema: "olm.channel", name, package: packageName, entries: list } };
}

function unreadable(why: string): PintleError {
  return invalid(`render: unable to read file: ${why}`);
}

function invalid(message: string): PintleError {
  return new PintleError("PINTLE8040", message);
}
