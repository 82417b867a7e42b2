import type { Scope } from "../../kinds/index.ts";
import type { VersionModel } from "./crd-version.ts";
import type { ResourceNames } from "./resource-names.ts";

/** The data of a resource: its names, scope and versions. Every chained version creates a new model. */
export interface ResourceModel {
  readonly names: ResourceNames;
  readonly scope: Scope;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly conditions: readonly string[];
  /** The version that all others convert through. */
  readonly hub: string;
  /** The version that objects are stored in. */
  readonly storageVersion: string;
  readonly versions: readonly VersionModel[];
}
