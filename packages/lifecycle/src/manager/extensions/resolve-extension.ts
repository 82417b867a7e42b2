import { quoteGoString } from "pintle/internal/go-format";
import type { CatalogBundle, CatalogDeprecations } from "../../fbc/index.ts";
import { type ResolvableCatalog, type ResolvedBundle, resolveBundle } from "../../resolve/index.ts";
import { formatVersion } from "../../versions/index.ts";
import { isConditionTrue } from "../api/conditions.ts";
import type { ManagerContext } from "../api/context.ts";
import { describeError, failure } from "../api/failures.ts";
import type { BundleMetadata, ClusterCatalog, ClusterExtension } from "../api/types.ts";
import type { RevisionMetadata } from "./revision-states.ts";
import { selectCatalogs } from "./select-catalogs.ts";

/** The resolved bundle of an extension. */
export interface ExtensionResolution {
  readonly revision: RevisionMetadata;
  readonly deprecations: CatalogDeprecations | undefined;
  readonly properties: CatalogBundle["properties"];
}

/** Chooses the bundle of an extension. Rejects with the text of operator-controller if there is none, or more than one. */
export async function resolveExtension(
  { catalogs: store, gates }: Pick<ManagerContext, "catalogs" | "gates">,
  catalogs: readonly ClusterCatalog[],
  { spec }: ClusterExtension,
  installed: BundleMetadata | undefined,
  acceptsDependencies = false,
): Promise<ExtensionResolution> {
  const source = spec.source.catalog!;
  const { packageName } = source;
  const resolvable: ResolvableCatalog[] = [];
  for (const catalog of selectCatalogs(catalogs, source.selector)) {
    if (catalog.spec.availabilityMode === "Unavailable") continue;
    const { name, labels = {} } = catalog.metadata;
    const content = await readPackage(store, catalog, packageName).catch((error: unknown) => {
      const what = `error getting package ${quoteGoString(packageName)} from catalog ${quoteGoString(name)}`;
      throw failure(`error walking catalogs: ${what}: ${describeError(error)}`, error);
    });
    resolvable.push({ name, labels, priority: catalog.spec.priority ?? 0, content });
  }
  const bundleReleaseSupport = gates.BundleReleaseSupport === true;
  const resolved = resolveBundle(resolvable, {
    ...source,
    ...(installed === undefined ? {} : { installed }),
    bundleReleaseSupport,
    acceptsDependencies,
  });
  const { bundle, deprecations } = resolved;
  return {
    revision: {
      packageName: bundle.package,
      image: bundle.image,
      bundle: { name: bundle.name, ...formatResolvedVersion(resolved, bundleReleaseSupport) },
      conditions: [],
    },
    deprecations,
    properties: bundle.properties,
  };
}

async function readPackage(store: ManagerContext["catalogs"], { metadata, status }: ClusterCatalog, packageName: string) {
  const { name } = metadata;
  if (!isConditionTrue(status?.conditions, "Serving")) throw failure(`catalog ${quoteGoString(name)} is not being served`);
  if (!(await store.has(name))) throw failure(`cache for catalog ${quoteGoString(name)} not found`);
  return store.readPackage(name, packageName);
}

/** Without support for releases, the release is the build metadata of the version. */
function formatResolvedVersion({ version, release }: ResolvedBundle, bundleReleaseSupport: boolean): Omit<BundleMetadata, "name"> {
  const shown = release?.map(String).join(".");
  if (bundleReleaseSupport) return { version: formatVersion(version), ...(shown === undefined ? {} : { release: shown }) };
  return { version: formatVersion(shown === undefined || shown === "" ? version : { ...version, build: shown.split(".") }) };
}
