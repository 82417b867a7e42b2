import type { Definitions } from "./schema.ts";

/** What is generated into one file: the kinds of a group-version, over named schemas. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  /** Path of the file under the output folder, without ending: "apps/v1". */
  readonly file: string;
  readonly kinds: readonly KindEntry[];
  /** Definitions of nested types this file declares, for itself and for others. */
  readonly types: readonly string[];
  /** Everything the file's types may refer to. */
  readonly definitions: Definitions;
}

export interface KindEntry {
  readonly kind: string;
  /** Its schema in `definitions`. */
  readonly definition: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly verbs: readonly string[];
  /** Undefined for kinds that are only the body of a subresource (Scale, Eviction): these get types and no value. */
  readonly plural: string | undefined;
  readonly subresources: readonly string[];
}
