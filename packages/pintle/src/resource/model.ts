import type { Scope } from "../kinds/index.ts";
import type { Names } from "./names.ts";
import type { Version } from "./version.ts";

/** Everything a resource knows about itself; each chained version makes a new one. */
export interface Model {
  readonly names: Names;
  readonly scope: Scope;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly conditions: readonly string[];
  /** The version all others convert through. */
  readonly hub: string;
  /** The version objects are stored in. */
  readonly stored: string;
  readonly versions: readonly Version[];
}
