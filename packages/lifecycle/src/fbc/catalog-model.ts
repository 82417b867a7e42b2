import { PintleError } from "pintle/internal/errors";
import { quoteGoString } from "pintle/internal/go-format";
import { type PreRelease, parseRelease, parseVersion, type Version } from "../versions/index.ts";
import type { DecodedBlob } from "./blobs.ts";
import { findReferenceProblem } from "./image-reference.ts";
import { type PackageProperty, parseProperties } from "./properties.ts";
import type { CatalogBundle, CatalogChannel, CatalogDeprecations, ChannelEntry } from "./types.ts";

/** A package with its channels, for validation. Only what the rules need is kept of a bundle, so that large catalogs stay small in memory. */
export interface PackageModel {
  readonly name: string;
  readonly defaultChannel: string;
  readonly channels: Map<string, ChannelModel>;
  /** The message; undefined if the package is not deprecated. */
  deprecation?: string;
}

export interface ChannelModel {
  readonly name: string;
  readonly bundles: Map<string, BundleModel>;
  deprecation?: string;
}

/** An entry of a channel, with the bundle that it names once that is known. */
export interface BundleModel {
  readonly entry: ChannelEntry;
  hasContent: boolean;
  packageProperties: number;
  version: Version;
  release: readonly PreRelease[];
  /** True if the version could not be read. */
  isUnknown?: boolean;
  deprecation?: string;
}

/** What is kept of an `olm.bundle`. */
interface BundleSummary {
  readonly name: string;
  readonly package: string;
  readonly hasContent: boolean;
  readonly packages: readonly PackageProperty[];
  readonly propertyProblem: string | undefined;
  readonly imageProblem: string | undefined;
}

/** Of a bundle whose problem was reported, where all problems are collected: it gives no reason for others. */
const ALREADY_REPORTED: Partial<BundleModel> = { hasContent: true, packageProperties: 1, isUnknown: true };
const NO_VERSION: Version = { major: 0n, minor: 0n, patch: 0n, pre: [], build: [] };

/** A blob of a catalog. */
export interface BlobName {
  readonly schema: "olm.package" | "olm.channel" | "olm.bundle" | "olm.deprecations";
  readonly package: string;
  readonly name: string;
}

/** What is wrong with a blob, in the words of operator-registry. */
export interface ModelProblem {
  readonly message: string;
  readonly about: BlobName;
}

/** Takes the problems of a catalog: it throws at the first, or collects all. */
export type ReportProblem = (problem: ModelProblem) => void;

const throwProblem: ReportProblem = ({ message }) => {
  throw new PintleError("PINTLE8012", message);
};

/** Collects the blobs of a catalog and links them. Blobs may come in any order. */
export class CatalogModelBuilder {
  readonly #report: ReportProblem;

  /** Without `report`, `build` throws a `PintleError` for the first problem, as operator-registry does. */
  constructor(report: ReportProblem = throwProblem) {
    this.#report = report;
  }

  readonly #packages: { readonly name: string; readonly defaultChannel: string }[] = [];
  readonly #channels: CatalogChannel[] = [];
  readonly #bundles: BundleSummary[] = [];
  readonly #deprecations: CatalogDeprecations[] = [];

  add(blob: DecodedBlob): void {
    if (blob.kind === "package") this.#packages.push({ name: blob.blob.name, defaultChannel: blob.blob.defaultChannel ?? "" });
    else if (blob.kind === "channel") this.#channels.push(blob.blob);
    else if (blob.kind === "bundle") this.#bundles.push(summarize(blob.blob, blob.objects));
    else if (blob.kind === "deprecations") this.#deprecations.push(blob.blob);
  }

  /** Links packages, channels, bundles and deprecations, and reports broken references. */
  build(): ReadonlyMap<string, PackageModel> {
    const packages = this.#buildPackages();
    const withoutBlob = this.#addChannels(packages);
    const bundleNames = this.#addBundles(packages, withoutBlob);
    for (const [name, entries] of withoutBlob) {
      if (entries.size === 0) continue;
      const message = `no olm.bundle blobs found in package ${quoteGoString(name)} for olm.channel entries [${[...entries].sort().join(" ")}]`;
      this.#report({ message, about: { schema: "olm.package", package: name, name } });
      for (const { bundles } of packages.get(name)?.channels.values() ?? []) {
        for (const entry of entries) Object.assign(bundles.get(entry) ?? {}, ALREADY_REPORTED);
      }
    }
    for (const { channels, defaultChannel } of packages.values()) {
      if (defaultChannel !== "" && !channels.has(defaultChannel)) {
        channels.set(defaultChannel, { name: defaultChannel, bundles: new Map() });
      }
    }
    this.#addDeprecations(packages, bundleNames);
    return packages;
  }

  #buildPackages(): Map<string, PackageModel> {
    const packages = new Map<string, PackageModel>();
    for (const { name, defaultChannel } of this.#packages) {
      const problems = findLabelProblems(name);
      const problem =
        name === ""
          ? "config contains package with no name"
          : packages.has(name)
            ? `duplicate package ${quoteGoString(name)}`
            : problems.length > 0
              ? `invalid package name ${quoteGoString(name)}: [${problems.join(" ")}]`
              : undefined;
      if (problem !== undefined) this.#report({ message: problem, about: { schema: "olm.package", package: name, name } });
      if (problem === undefined || !packages.has(name)) packages.set(name, { name, defaultChannel, channels: new Map() });
    }
    return packages;
  }

  /** Returns the entries of the last channel of each package: the only ones that operator-registry expects a blob for at once. */
  #addChannels(packages: ReadonlyMap<string, PackageModel>): Map<string, Set<string>> {
    const expected = new Map<string, Set<string>>();
    for (const { name, package: packageName, entries } of this.#channels) {
      const report = (message: string) => this.#report({ message, about: { schema: "olm.channel", package: packageName, name } });
      const target = packages.get(packageName);
      if (target === undefined) {
        report(`unknown package ${quoteGoString(packageName)} for channel ${quoteGoString(name)}`);
        continue;
      }
      if (name === "") report(`package ${quoteGoString(packageName)} contains channel with no name`);
      if (target.channels.has(name)) {
        report(`package ${quoteGoString(packageName)} has duplicate channel ${quoteGoString(name)}`);
        continue;
      }
      const bundles = new Map<string, BundleModel>();
      for (const entry of entries) {
        if (bundles.has(entry.name)) {
          const where = `invalid package ${quoteGoString(packageName)}, channel ${quoteGoString(name)}`;
          report(`${where}: duplicate entry ${quoteGoString(entry.name)}`);
          continue;
        }
        bundles.set(entry.name, { entry, hasContent: false, packageProperties: 0, version: NO_VERSION, release: [] });
      }
      expected.set(packageName, new Set(bundles.keys()));
      target.channels.set(name, { name, bundles });
    }
    return expected;
  }

  #addBundles(
    packages: ReadonlyMap<string, PackageModel>,
    withoutBlob: ReadonlyMap<string, Set<string>>,
  ): ReadonlyMap<string, Set<string>> {
    const names = new Map<string, Set<string>>();
    const entriesByPackage = new Map([...packages].map(([name, target]) => [name, indexEntries(target)]));
    for (const bundle of this.#bundles) {
      const { name, package: packageName } = bundle;
      const report = (message: string) => this.#report({ message, about: { schema: "olm.bundle", package: packageName, name } });
      if (packageName === "") {
        report(`package name must be set for bundle ${quoteGoString(name)}`);
        continue;
      }
      const target = packages.get(packageName);
      if (target === undefined) {
        report(`unknown package ${quoteGoString(packageName)} for bundle ${quoteGoString(name)}`);
        continue;
      }
      const known = names.get(packageName) ?? new Set();
      if (known.has(name)) {
        report(`package ${quoteGoString(packageName)} has duplicate bundle ${quoteGoString(name)}`);
        continue;
      }
      names.set(packageName, known.add(name));
      const read = readBundleVersion(bundle);
      if ("problem" in read) report(read.problem);
      withoutBlob.get(packageName)?.delete(name);
      const entries = entriesByPackage.get(packageName)?.get(name) ?? [];
      if (entries.length === 0) {
        report(`package ${quoteGoString(packageName)}, bundle ${quoteGoString(name)} not found in any channel entries`);
      }
      const { hasContent, packages: properties } = bundle;
      const found = "problem" in read ? ALREADY_REPORTED : { hasContent, packageProperties: properties.length, ...read };
      for (const entry of entries) Object.assign(entry, found);
    }
    return names;
  }

  #addDeprecations(packages: ReadonlyMap<string, PackageModel>, bundleNames: ReadonlyMap<string, Set<string>>): void {
    const seen = new Set<string>();
    this.#deprecations.forEach(({ package: name, entries }, i) => {
      const report = (message: string) => this.#report({ message, about: { schema: "olm.deprecations", package: name, name: "" } });
      const target = packages.get(name);
      if (name === "") report(`package name must be set for deprecation item ${i}`);
      else if (target === undefined) report(`cannot apply deprecations to an unknown package ${quoteGoString(name)}`);
      else if (seen.has(name)) report(`expected a maximum of one deprecation per package: ${quoteGoString(name)}`);
      else for (const problem of applyDeprecations(target, entries, bundleNames.get(name) ?? new Set())) report(problem);
      seen.add(name);
    });
  }
}

/** The entries of all channels of a package, by the name of their bundle. */
function indexEntries({ channels }: PackageModel): ReadonlyMap<string, readonly BundleModel[]> {
  const entries = new Map<string, BundleModel[]>();
  for (const { bundles } of channels.values()) {
    for (const [name, bundle] of bundles) {
      const same = entries.get(name);
      if (same === undefined) entries.set(name, [bundle]);
      else same.push(bundle);
    }
  }
  return entries;
}

function summarize(bundle: CatalogBundle, objects: number): BundleSummary {
  const { name, package: packageName, image, properties = [], relatedImages = [] } = bundle;
  const parsed = parseProperties(properties);
  const where = `package ${quoteGoString(packageName)} bundle ${quoteGoString(name)}`;
  const images = [[image, "image"], ...relatedImages.map((related, i) => [related.image ?? "", `relatedImages[${i}].image`])] as const;
  const problems = images.map(([reference = "", field]) => {
    const problem = reference === "" ? undefined : findReferenceProblem(reference);
    return problem === undefined ? undefined : `${where} ${field}: invalid image pull spec ${quoteGoString(reference)}: ${problem}`;
  });
  return {
    name,
    package: packageName,
    hasContent: image !== "" || objects > 0,
    packages: "packages" in parsed ? parsed.packages : [],
    propertyProblem: "problem" in parsed ? parsed.problem : undefined,
    imageProblem: problems.find((problem) => problem !== undefined),
  };
}

function readBundleVersion(
  bundle: BundleSummary,
): { readonly version: Version; readonly release: readonly PreRelease[] } | { readonly problem: string } {
  const { name, package: packageName, packages, propertyProblem, imageProblem } = bundle;
  if (propertyProblem !== undefined) return { problem: `parse properties for bundle ${quoteGoString(name)}: ${propertyProblem}` };
  const [property] = packages;
  if (property === undefined || packages.length !== 1) {
    const where = `package ${quoteGoString(packageName)} bundle ${quoteGoString(name)}`;
    return { problem: `${where} must have exactly 1 "olm.package" property, found ${packages.length}` };
  }
  if (property.packageName !== packageName) {
    return {
      problem: `package ${quoteGoString(packageName)} does not match "olm.package" property ${quoteGoString(property.packageName)}`,
    };
  }
  if (imageProblem !== undefined) return { problem: imageProblem };
  let what = ["version", property.version];
  try {
    const version = parseVersion(property.version);
    what = ["release version", property.release];
    return { version, release: parseRelease(property.release) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { problem: `error parsing bundle ${quoteGoString(name)} ${what[0]} ${quoteGoString(what[1]!)}: ${why}` };
  }
}

/** Applies the deprecations of a package, and returns what is wrong with them. */
function* applyDeprecations(
  target: PackageModel,
  entries: CatalogDeprecations["entries"],
  bundleNames: ReadonlySet<string>,
): Generator<string> {
  const packageName = quoteGoString(target.name);
  const seen = new Set<string>();
  for (const [i, { reference, message = "" }] of entries.entries()) {
    const { schema = "", name = "" }: Partial<typeof reference> = reference ?? {};
    const shown = `declcfg.PackageScopedReference{Schema:${quoteGoString(schema)}, Name:${quoteGoString(name)}}`;
    const channel = target.channels.get(name);
    if (schema === "") yield `schema must be set for deprecation entry [${i}] for package ${packageName}`;
    else if (seen.has(shown)) yield `duplicate deprecation entry ${shown} for package ${packageName}`;
    else if (schema === "olm.bundle") {
      if (!bundleNames.has(name)) yield `cannot deprecate bundle ${quoteGoString(name)} for package ${packageName}: bundle not found`;
      for (const { bundles } of target.channels.values()) {
        const bundle = bundles.get(name);
        if (bundle !== undefined) bundle.deprecation = message;
      }
    } else if (schema === "olm.channel") {
      if (channel === undefined) yield `cannot deprecate channel ${quoteGoString(name)} for package ${packageName}: channel not found`;
      else channel.deprecation = message;
    } else if (schema === "olm.package") {
      if (name !== "") yield `package name must be empty for deprecated package ${packageName} (specified ${quoteGoString(name)})`;
      target.deprecation = message;
    } else yield `cannot deprecate object ${shown} referenced by entry ${i} for package ${packageName}: object schema unknown`;
    seen.add(shown);
  }
}

const INVALID_LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/** Why a name is not a DNS label, in the words of Kubernetes. */
function findLabelProblems(name: string): string[] {
  const problems: string[] = [];
  if (name.length > 63) problems.push("must be no more than 63 characters");
  const isLabel = (text: string) => /^[a-z0-9-]+$/.test(text) && !text.startsWith("-") && !text.endsWith("-");
  if (isLabel(name)) return problems;
  // A name that would be a subdomain gets a shorter text.
  problems.push(name.split(".").every(isLabel) ? "must not contain dots" : INVALID_LABEL);
  return problems;
}
