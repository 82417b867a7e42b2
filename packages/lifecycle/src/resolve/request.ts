import type { LabelSelector } from "pintle/kinds";

/** The installed bundle, as in `ClusterExtension.status.install.bundle`. */
export interface InstalledBundle {
  readonly name: string;
  readonly version: string;
  /** Only with the feature gate BundleReleaseSupport. Default: the build metadata of the version. */
  readonly release?: string;
}

/** What to resolve: `ClusterExtension.spec.source.catalog`, and what is installed. */
export interface ResolutionRequest {
  readonly packageName: string;
  /** A range in the dialect of Masterminds/semver. Default: any version. */
  readonly version?: string;
  /** Default: all channels. */
  readonly channels?: readonly string[];
  /** Selects catalogs by label. Default: all catalogs. */
  readonly selector?: LabelSelector;
  /** `SelfCertified` ignores the upgrade graph. Default: `CatalogProvided`. */
  readonly upgradeConstraintPolicy?: "CatalogProvided" | "SelfCertified";
  /** Default: nothing is installed. */
  readonly installed?: InstalledBundle;
  /** Reads the release of a bundle from its own field, as the feature gate BundleReleaseSupport does. Default: false. */
  readonly bundleReleaseSupport?: boolean;
  /** Accepts bundles that declare dependencies: the caller sees to them. Default: they are refused, as OLM v1 does. */
  readonly acceptsDependencies?: boolean;
}
