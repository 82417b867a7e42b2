import { PintleError } from "pintle/internal/errors";
import { quoteGoString } from "pintle/internal/go-format";
import { compileLabelSelector, isEmptyLabelSelector } from "pintle/internal/selectors";
import type { LabelSelector } from "pintle/kinds";
import type { CatalogBundle, CatalogContent, CatalogDeprecations } from "../fbc/index.ts";
import { compareVersionReleases, parseMastermindsRange, type VersionRelease } from "../versions/index.ts";
import { type BundleRule, findRemovingRule, parseInstalled, type RuleContext } from "./bundle-rules.ts";
import { readVersionRelease } from "./bundle-version.ts";
import type { ResolutionRequest } from "./request.ts";

/** A catalog as the resolver sees it. */
export interface ResolvableCatalog {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Higher values win. Default: 0. */
  readonly priority?: number;
  /** Catalogs that are not available are ignored. Default: true. */
  readonly available?: boolean;
  /** The blobs of the requested package; undefined if the catalog does not have it. */
  readonly content: CatalogContent | undefined;
}

/** A bundle of a catalog, and which rule removed it; undefined for one that all rules accept. */
export interface BundleCandidate {
  readonly catalog: string;
  readonly bundle: string;
  readonly removedBy: BundleRule | "lower than another candidate" | "deprecated" | "lower priority" | undefined;
}

/** The bundle to install. */
export interface ResolvedBundle extends VersionRelease {
  readonly bundle: CatalogBundle;
  readonly catalog: string;
  /** The deprecations of its package. */
  readonly deprecations: CatalogDeprecations | undefined;
  readonly candidates: readonly BundleCandidate[];
}

/**
 * No bundle, or more than one, fits a request. The message is the text of operator-controller; `candidates` says why.
 *
 * @example
 * ```ts
 * import { ResolutionError, resolveBundle } from "@pintle/lifecycle";
 *
 * try {
 *   resolveBundle([], { packageName: "memcached" });
 * } catch (error) {
 *   if (error instanceof ResolutionError) console.table(error.candidates);
 * }
 * ```
 */
export class ResolutionError extends PintleError {
  override readonly name = "ResolutionError";
  readonly candidates: readonly BundleCandidate[];

  constructor(message: string, candidates: readonly BundleCandidate[]) {
    super("PINTLE8005", message);
    this.candidates = candidates;
  }
}

/** Properties that declare dependencies, which OLM v1 does not resolve. */
const DEPENDENCY_PROPERTIES = new Set(["olm.package.required", "olm.gvk.required", "olm.constraint"]);

interface FoundBundle {
  readonly bundle: CatalogBundle;
  readonly catalog: ResolvableCatalog;
  readonly isDeprecated: boolean;
}

/**
 * Chooses the bundle that OLM v1 installs for a request. Throws `ResolutionError` if none or several fit, and `PintleError` for a range that
 * cannot be parsed.
 *
 * @example
 * ```ts
 * import { resolveBundle } from "@pintle/lifecycle";
 *
 * const { bundle } = resolveBundle([{ name: "community", content: undefined }], { packageName: "memcached", version: "1.x" });
 * console.log(bundle.image);
 * ```
 */
export function resolveBundle(catalogs: readonly ResolvableCatalog[], request: ResolutionRequest): ResolvedBundle {
  const range = parseRange(request.version);
  const candidates: BundleCandidate[] = [];
  let found: FoundBundle[] = [];
  let deprecations: CatalogDeprecations | undefined;
  for (const catalog of selectCatalogs(catalogs, request.selector)) {
    const { content } = catalog;
    if (content === undefined || Object.values(content).every((blobs) => blobs.length === 0)) continue;
    const context: RuleContext = { request, range, current: parseInstalled(request), channels: selectChannels(content, request.channels) };
    const best = findBest(catalog.name, content, context, candidates);
    if (best === undefined) continue;
    const next = { bundle: best.bundle, catalog, isDeprecated: best.isDeprecated };
    const last = found.at(-1);
    if (last !== undefined && next.isDeprecated !== last.isDeprecated) {
      if (next.isDeprecated) {
        markRemoved(candidates, [next], "deprecated");
        continue;
      }
      markRemoved(candidates, found, "deprecated");
      found = [];
    }
    found.push(next);
    deprecations = content.deprecations[0];
  }
  const chosen = chooseByPriority(found, candidates);
  if (chosen === undefined) throw new ResolutionError(describeFailure(request, found), candidates);
  const { version, release } = readResolvedVersion(chosen.bundle, request);
  if (request.acceptsDependencies !== true) refuseDependencies(chosen.bundle);
  return { bundle: chosen.bundle, catalog: chosen.catalog.name, version, release, deprecations, candidates };
}

function parseRange(version: string | undefined) {
  if (version === undefined || version === "") return undefined;
  try {
    return parseMastermindsRange(version);
  } catch (error) {
    throw new PintleError("PINTLE8002", `desired version range ${quoteGoString(version)} is invalid: ${messageOf(error)}`);
  }
}

function selectCatalogs(catalogs: readonly ResolvableCatalog[], selector: LabelSelector | undefined): readonly ResolvableCatalog[] {
  const matcher = isEmptyLabelSelector(selector) ? undefined : compileLabelSelector(selector);
  return catalogs.filter(({ available = true, labels = {} }) => available && (matcher === undefined || matcher.matches(labels)));
}

function selectChannels(content: CatalogContent, names: readonly string[] = []): CatalogContent["channels"] {
  return names.length === 0 ? content.channels : content.channels.filter(({ name }) => names.includes(name));
}

/** The best bundle of one catalog: not deprecated, highest version, highest release. */
function findBest(
  catalog: string,
  content: CatalogContent,
  context: RuleContext,
  candidates: BundleCandidate[],
): { readonly bundle: CatalogBundle; readonly isDeprecated: boolean } | undefined {
  const deprecated = listDeprecatedBundles(content.deprecations[0]);
  const accepted = content.bundles.filter((bundle) => {
    const removedBy = findRemovingRule(bundle, context);
    if (removedBy !== undefined) candidates.push({ catalog, bundle: bundle.name, removedBy });
    return removedBy === undefined;
  });
  const ranked = accepted
    .map((bundle) => ({ bundle, isDeprecated: deprecated.has(bundle.name), version: tryReadVersion(bundle, context.request) }))
    .sort((a, b) => Number(a.isDeprecated) - Number(b.isDeprecated) || compareRanks(a.version, b.version));
  ranked.forEach(({ bundle }, i) => {
    candidates.push({ catalog, bundle: bundle.name, removedBy: i === 0 ? undefined : "lower than another candidate" });
  });
  return ranked[0];
}

/** Highest first; bundles without a valid version last. */
function compareRanks(a: VersionRelease | undefined, b: VersionRelease | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return compareVersionReleases(b, a);
}

function listDeprecatedBundles(deprecations: CatalogDeprecations | undefined): ReadonlySet<string> {
  const references = deprecations?.entries.map(({ reference }) => reference) ?? [];
  return new Set(references.filter(({ schema }) => schema === "olm.bundle").map(({ name = "" }) => name));
}

/** The one bundle with the highest priority; undefined if there is none, or more than one. */
function chooseByPriority(found: readonly FoundBundle[], candidates: BundleCandidate[]): FoundBundle | undefined {
  const sorted = [...found].sort((a, b) => (b.catalog.priority ?? 0) - (a.catalog.priority ?? 0));
  const [first, second] = sorted;
  if (second !== undefined && (first?.catalog.priority ?? 0) === (second.catalog.priority ?? 0)) return undefined;
  markRemoved(candidates, sorted.slice(1), "lower priority");
  return first;
}

function markRemoved(candidates: BundleCandidate[], found: readonly FoundBundle[], removedBy: BundleCandidate["removedBy"]): void {
  for (const { bundle, catalog } of found) {
    const at = candidates.findIndex((c) => c.catalog === catalog.name && c.bundle === bundle.name && c.removedBy === undefined);
    if (at !== -1) candidates[at] = { catalog: catalog.name, bundle: bundle.name, removedBy };
  }
}

function describeFailure(request: ResolutionRequest, found: readonly FoundBundle[]): string {
  const { packageName, version = "", channels = [], installed } = request;
  const names = found.map(({ catalog }) => catalog.name).sort();
  return [
    ...(installed === undefined ? [] : [`error upgrading from currently installed version ${quoteGoString(installed.version)}:`]),
    `${found.length > 1 ? "found bundles" : "no bundles found"} for package ${quoteGoString(packageName)}`,
    ...(version === "" ? [] : [`matching version ${quoteGoString(version)}`]),
    ...(channels.length === 0 ? [] : [`in channels [${channels.join(" ")}]`]),
    ...(names.length > 1 ? [`in multiple catalogs with the same priority [${names.join(" ")}]`] : []),
  ].join(" ");
}

function readResolvedVersion(bundle: CatalogBundle, request: ResolutionRequest): VersionRelease {
  try {
    return readVersionRelease(bundle, request);
  } catch (error) {
    const name = quoteGoString(bundle.name);
    throw new PintleError("PINTLE8004", `error getting resolved bundle version for bundle ${name}: ${messageOf(error)}`);
  }
}

function tryReadVersion(bundle: CatalogBundle, request: ResolutionRequest): VersionRelease | undefined {
  try {
    return readVersionRelease(bundle, request);
  } catch {
    return undefined;
  }
}

function refuseDependencies(bundle: CatalogBundle): void {
  const declared = bundle.properties?.find(({ type }) => DEPENDENCY_PROPERTIES.has(type));
  if (declared === undefined) return;
  const name = quoteGoString(bundle.name);
  const why = `bundle ${name} has a dependency declared via property ${quoteGoString(declared.type)} which is currently not supported`;
  throw new PintleError("PINTLE8006", `validating bundle ${name}: ${why}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
