import type { Definitions } from "../schema.ts";

/** The content of one generated file: the kinds of a group-version and their named schemas. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  /** The path of the file below the output folder, without extension: "apps/v1". */
  readonly file: string;
  readonly kinds: readonly KindEntry[];
  /** The definitions of the nested types that this file declares. */
  readonly types: readonly string[];
  /** All definitions that the types of the file may refer to. */
  readonly definitions: Definitions;
}

export interface KindEntry {
  readonly kind: string;
  /** The name of its schema in `definitions`. */
  readonly definition: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly verbs: readonly string[];
  /** Undefined for kinds that are only the body of a subresource (Scale, Eviction), which get types but no value. */
  readonly plural: string | undefined;
  readonly subresources: readonly string[];
}
