import { PintleError } from "pintle/internal/errors";
import { quoteGoString } from "pintle/internal/go-format";
import { formatVersion, parseBlangRange } from "../versions/index.ts";
import type { BlobName, BundleModel, ChannelModel, PackageModel } from "./catalog-model.ts";

/** Checks the upgrade graphs and bundles of a catalog. Throws `PintleError` with all problems, as the tree that `opm validate` prints. */
export function validateModel(packages: ReadonlyMap<string, PackageModel>): void {
  const problems = findModelProblems(packages);
  if (problems.length > 0) throw new PintleError("PINTLE8013", formatErrorTree({ message: "invalid index", problems }));
}

/** Finds what is wrong with the upgrade graphs and bundles of a catalog, by package. */
export function findModelProblems(packages: ReadonlyMap<string, PackageModel>): readonly ErrorTree[] {
  return [...packages.values()].sort(byName).map(validatePackage).filter(hasProblems);
}

const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1);
const hasProblems = ({ problems }: ErrorTree) => problems.length > 0;

function validatePackage({ name, defaultChannel, channels, deprecation }: PackageModel): ErrorTree {
  const problems: (string | ErrorTree)[] = [];
  if (defaultChannel === "") problems.push("default channel must be set");
  if (channels.size === 0) problems.push("package must contain at least one channel");
  const sorted = [...channels.values()].sort(byName);
  problems.push(...sorted.map((channel) => validateChannel(channel, name)).filter(hasProblems));
  const duplicates = findDuplicateVersions(sorted);
  if (duplicates !== undefined) problems.push(duplicates);
  if (deprecation === "") problems.push("invalid deprecation: message must be set");
  return { message: `invalid package ${quoteGoString(name)}`, problems, about: { schema: "olm.package", package: name, name } };
}

/** Two bundles of a package may not have the same version. */
function findDuplicateVersions(channels: readonly ChannelModel[]): string | undefined {
  const names = new Map<string, Set<string>>();
  for (const { bundles } of channels) {
    for (const bundle of bundles.values()) {
      if (bundle.isUnknown === true) continue;
      const version = formatVersionRelease(bundle);
      names.set(version, (names.get(version) ?? new Set()).add(bundle.entry.name));
    }
  }
  const duplicates = [...names].filter(([, bundles]) => bundles.size > 1).sort(([a], [b]) => (a < b ? -1 : 1));
  if (duplicates.length === 0) return undefined;
  return `duplicate versions found in bundles: [${duplicates.map(([version, bundles]) => `{${version}: [${[...bundles].sort().join(", ")}]}`).join(" ")}]`;
}

function validateChannel({ name, bundles, deprecation }: ChannelModel, packageName: string): ErrorTree {
  const problems: (string | ErrorTree)[] = [];
  if (bundles.size === 0) problems.push("channel must contain at least one bundle");
  else {
    const broken = findBrokenChain([...bundles.values()]);
    if (broken !== undefined) problems.push(broken);
  }
  const sorted = [...bundles.values()].sort((a, b) => byName(a.entry, b.entry));
  problems.push(...sorted.map((bundle) => validateBundle(bundle, packageName)).filter(hasProblems));
  if (deprecation === "") problems.push("invalid deprecation: message must be set");
  return { message: `invalid channel ${quoteGoString(name)}`, problems, about: { schema: "olm.channel", package: packageName, name } };
}

/**
 * Checks the upgrade graph of a channel: exactly one entry that no other replaces or skips (the head), no cycle of replaces, and every entry
 * either skipped or reached from the head. The last entry of the chain may replace one that does not exist.
 */
function findBrokenChain(bundles: readonly BundleModel[]): string | undefined {
  const entries = bundles.map(({ entry }) => entry);
  const skipped = new Set(entries.flatMap(({ skips = [] }) => skips));
  const replaced = new Set(entries.flatMap(({ replaces = "" }) => (replaces === "" ? [] : [replaces])));
  const heads = entries.filter(({ name }) => !skipped.has(name) && !replaced.has(name));
  const [head] = heads;
  if (head === undefined) return "no channel head found in graph";
  if (heads.length > 1) {
    const names = heads.map(({ name }) => name).sort();
    return `multiple channel heads found in graph: ${names.join(", ")}`;
  }
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const chain = [head.name];
  const reached = new Set(chain);
  for (let current: typeof head | undefined = head; current !== undefined; ) {
    const { replaces = "" } = current;
    if (skipped.has(replaces)) break;
    if (reached.has(replaces)) {
      const cycle = [...chain.slice(chain.indexOf(replaces)), replaces];
      return `detected cycle in replaces chain of upgrade graph: ${cycle.join(" -> ")}`;
    }
    reached.add(replaces);
    chain.push(replaces);
    current = byName.get(replaces);
  }
  const stranded = entries.map(({ name }) => name).filter((name) => !reached.has(name) && !skipped.has(name));
  return stranded.length === 0 ? undefined : `channel contains one or more stranded bundles: ${stranded.sort().join(", ")}`;
}

function validateBundle(bundle: BundleModel, packageName: string): ErrorTree {
  const { entry, version, release } = bundle;
  const { name, skips = [], skipRange = "" } = entry;
  const problems: string[] = [];
  if (name === "") problems.push("name must be set");
  const normalized = release.length > 0 ? `${packageName}-v${formatVersionRelease(bundle)}` : name;
  if (name !== normalized) problems.push(`name ${quoteGoString(name)} does not match normalized name ${quoteGoString(normalized)}`);
  skips.forEach((skip, i) => {
    if (skip === "") problems.push(`skip[${i}] is empty`);
  });
  const rangeProblem = skipRange === "" ? undefined : findRangeProblem(skipRange);
  if (rangeProblem !== undefined) problems.push(`invalid skipRange ${quoteGoString(skipRange)}: ${rangeProblem}`);
  if (bundle.packageProperties !== 1) problems.push('must be exactly one property with type "olm.package"');
  if (!bundle.hasContent) problems.push("bundle image must be set");
  if (bundle.deprecation === "") problems.push("invalid deprecation: message must be set");
  if (version.build.length > 0 && release.length > 0) problems.push("cannot use build metadata in version with a release version");
  return { message: `invalid bundle ${quoteGoString(name)}`, problems, about: { schema: "olm.bundle", package: packageName, name } };
}

function findRangeProblem(range: string): string | undefined {
  try {
    parseBlangRange(range);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function formatVersionRelease({ version, release }: BundleModel): string {
  return release.length > 0 ? `${formatVersion(version)}-${release.join(".")}` : formatVersion(version);
}

/** A problem with what it consists of. */
export interface ErrorTree {
  /** The blob that the problem is about. */
  readonly about?: BlobName;
  readonly message: string;
  readonly problems: readonly (string | ErrorTree)[];
}

/** Formats a tree as operator-registry does, with box-drawing characters. */
function formatErrorTree(tree: ErrorTree): string {
  return formatNode(tree, "", true).join("\n");
}

function formatNode({ message, problems }: ErrorTree, prefix: string, isLast: boolean): string[] {
  const lines = [`${prefix}${message}${problems.length === 0 ? "" : ":"}`];
  const inherited = prefix.length < 4 ? prefix : `${prefix.slice(0, -4)}${isLast ? "    " : "│   "}`;
  problems.forEach((problem, i) => {
    const isLastProblem = i === problems.length - 1;
    const below = `${inherited}${isLastProblem ? "└── " : "├── "}`;
    if (typeof problem === "string") lines.push(`${below}${problem}`);
    else lines.push(...formatNode(problem, below, isLastProblem));
  });
  return lines;
}
