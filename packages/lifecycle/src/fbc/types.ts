/** The blobs of a file-based catalog, as operator-registry defines them. Keys are in the case of its documentation. */

/** A typed value of a package, channel or bundle, such as `olm.package` or `olm.gvk`. */
export interface Property {
  readonly type: string;
  readonly value: unknown;
}

/** `olm.package`: a package, and the channel that is taken if a user names none. */
export interface CatalogPackage {
  readonly schema: "olm.package";
  readonly name: string;
  readonly defaultChannel?: string;
  readonly icon?: { readonly base64data: string; readonly mediatype: string };
  readonly description?: string;
  readonly properties?: readonly Property[];
}

/** `olm.channel`: a channel of a package, and its upgrade graph. */
export interface CatalogChannel {
  readonly schema: "olm.channel";
  readonly name: string;
  readonly package: string;
  readonly entries: readonly ChannelEntry[];
  readonly properties?: readonly Property[];
}

/** A bundle in a channel, and which bundles it upgrades. */
export interface ChannelEntry {
  readonly name: string;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly skipRange?: string;
}

/** `olm.bundle`: one version of an operator. */
export interface CatalogBundle {
  readonly schema: "olm.bundle";
  readonly name: string;
  readonly package: string;
  readonly image: string;
  readonly properties?: readonly Property[];
  readonly relatedImages?: readonly { readonly name: string; readonly image: string }[];
}

/** `olm.deprecations`: what is deprecated in a package. */
export interface CatalogDeprecations {
  readonly schema: "olm.deprecations";
  readonly package: string;
  readonly entries: readonly DeprecationEntry[];
}

/** A deprecated package, channel or bundle, and the message for users. */
export interface DeprecationEntry {
  readonly reference: { readonly schema: string; readonly name?: string };
  readonly message: string;
}

/** A blob with a schema that operator-registry does not define. */
export interface OtherMeta {
  readonly schema: string;
  readonly package?: string;
  readonly name?: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The blobs of a catalog, or of one package of it, by schema. */
export interface CatalogContent {
  readonly packages: readonly CatalogPackage[];
  readonly channels: readonly CatalogChannel[];
  readonly bundles: readonly CatalogBundle[];
  readonly deprecations: readonly CatalogDeprecations[];
  readonly others: readonly OtherMeta[];
}
