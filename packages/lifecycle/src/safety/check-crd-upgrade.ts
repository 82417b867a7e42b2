import { quoteGoString } from "pintle/internal/go-format";
import type { Json, JsonObject } from "pintle/internal/json";
import { isJsonEqual } from "pintle/internal/merge";
import { fromUnstructured, toGoJson } from "../go-types/index.ts";
import { compareSchemas } from "./compare-schemas.ts";
import { flattenSchema, type JsonSchemaProps } from "./flatten-schema.ts";

/** Why OLM v1 refuses to replace a CRD by another one. */
export interface CrdUpgradeProblem {
  /** The version, or a pair of served versions such as `v1alpha1 -> v1`; undefined for a problem of the whole CRD. */
  readonly version: string | undefined;
  /** The path of the field, such as `^.spec.size`; undefined for a problem of the whole CRD. */
  readonly path: string | undefined;
  /** The rule of crdify that was broken. */
  readonly rule: string;
  readonly message: string;
}

/** A problem with the values that its message leaves out. */
interface VersionProblem extends CrdUpgradeProblem {
  readonly values: string | undefined;
}

interface CrdVersionSchemas {
  readonly name: string;
  readonly served: boolean;
  readonly schemas: ReadonlyMap<string, JsonSchemaProps>;
}

/**
 * Lists why OLM v1 refuses to replace a CRD, with the rules and texts of crdify in its strictest form: whatever is not known to be safe is refused.
 *
 * @example
 * ```ts
 * import { checkCrdUpgrade, formatCrdUpgradeProblems } from "@pintle/lifecycle";
 *
 * const before = { metadata: { name: "shops.example.com" }, spec: { scope: "Namespaced" } };
 * const problems = checkCrdUpgrade(before, { ...before, spec: { scope: "Cluster" } });
 * console.log(formatCrdUpgradeProblems("shops.example.com", problems));
 * ```
 */
export function checkCrdUpgrade(before: JsonObject, after: JsonObject): CrdUpgradeProblem[] {
  const [old, fresh] = [normalize(before), normalize(after)];
  const [oldVersions, newVersions] = [versionsOf(old), versionsOf(fresh)];
  const [oldByName, newByName] = [indexByName(oldVersions), indexByName(newVersions)];
  return [
    ...findRemovedFields(oldByName, newVersions),
    ...findScopeChange(old, fresh),
    ...findRemovedStoredVersions(old, newByName),
    ...oldVersions.flatMap((version) => {
      const next = newByName.get(version.name);
      return next === undefined ? [] : compareVersions(version, next, version.name).map(withoutValues);
    }),
    ...compareServedVersions(fresh, oldVersions, newVersions),
  ];
}

/**
 * Formats problems as OLM v1 shows them in the status of a ClusterExtension; the empty text without problems.
 *
 * @example
 * ```ts
 * import { formatCrdUpgradeProblems } from "@pintle/lifecycle";
 *
 * const text = formatCrdUpgradeProblems("shops.example.com", []);
 * ```
 */
export function formatCrdUpgradeProblems(name: string, problems: readonly CrdUpgradeProblem[]): string {
  if (problems.length === 0) return "";
  const lines = problems.map(({ version, path, rule, message }) => {
    return version === undefined ? `${rule}: ${message}` : `${version}: ${path}: ${rule}: ${message}`;
  });
  return `validating upgrade for CRD ${quoteGoString(name)}: ${lines.join("\n")}`;
}

function normalize(definition: JsonObject): JsonObject {
  const type = "apiextensions/v1.CustomResourceDefinition";
  return toGoJson(fromUnstructured(definition, type), type);
}

function versionsOf(definition: JsonObject): CrdVersionSchemas[] {
  const { versions } = definition["spec"] as { readonly versions?: readonly JsonObject[] | null };
  return (versions ?? []).map((version) => ({
    name: String(version["name"]),
    served: version["served"] === true,
    schemas: flattenSchema((version["schema"] as JsonObject | undefined)?.["openAPIV3Schema"] as JsonSchemaProps | undefined),
  }));
}

/** Of versions with equal names, the first counts. */
function indexByName(versions: readonly CrdVersionSchemas[]): ReadonlyMap<string, CrdVersionSchemas> {
  return new Map(versions.toReversed().map((version) => [version.name, version]));
}

function findRemovedFields(
  oldByName: ReadonlyMap<string, CrdVersionSchemas>,
  newVersions: readonly CrdVersionSchemas[],
): CrdUpgradeProblem[] {
  return newVersions.flatMap(({ name, schemas }) => {
    const old = oldByName.get(name)?.schemas ?? new Map<string, JsonSchemaProps>();
    const removed = [...old.keys()].filter((path) => !schemas.has(path));
    return removed.map((path) => problemOfAll("existingFieldRemoval", `removed field : ${name}.${path}`));
  });
}

function findScopeChange(old: JsonObject, fresh: JsonObject): CrdUpgradeProblem[] {
  const [before, after] = [old, fresh].map((definition) => String((definition["spec"] as JsonObject)["scope"])) as [string, string];
  return before === after ? [] : [problemOfAll("scope", `scope changed : ${quoteGoString(before)} -> ${quoteGoString(after)}`)];
}

function findRemovedStoredVersions(old: JsonObject, newByName: ReadonlyMap<string, CrdVersionSchemas>): CrdUpgradeProblem[] {
  const stored = ((old["status"] as JsonObject | undefined)?.["storedVersions"] ?? []) as readonly string[];
  const removed = stored.filter((name) => !newByName.has(name));
  return removed.length === 0 ? [] : [problemOfAll("storedVersionRemoval", `stored versions removed : [${removed.join(" ")}]`)];
}

function problemOfAll(rule: string, message: string): CrdUpgradeProblem {
  return { version: undefined, path: undefined, rule, message };
}

/** Compares every schema of `before` with the one at the same path; one that is missing counts as empty. */
function compareVersions(before: CrdVersionSchemas, after: CrdVersionSchemas, version: string): VersionProblem[] {
  return [...before.schemas].flatMap(([path, schema]) => {
    const old = withoutChildren(schema);
    const next = after.schemas.get(path);
    const fresh = next === undefined ? {} : withoutChildren(next);
    if (next !== undefined && isJsonEqual(old as Json, fresh as Json)) return [];
    return compareSchemas(old, fresh).map(({ rule, message, values }) => ({ version, path, rule, message, values }));
  });
}

function withoutChildren({ properties: _, items: __, ...schema }: JsonSchemaProps): JsonSchemaProps {
  return schema;
}

/** Without a conversion webhook, an object is the same in every served version. What differed before the upgrade is not reported again. */
function compareServedVersions(
  fresh: JsonObject,
  oldVersions: readonly CrdVersionSchemas[],
  newVersions: readonly CrdVersionSchemas[],
): CrdUpgradeProblem[] {
  const { conversion } = fresh["spec"] as { readonly conversion?: { readonly strategy?: string } };
  if (conversion?.strategy === "Webhook") return [];
  const known = new Set(comparePairs(oldVersions).map((problem) => JSON.stringify(problem)));
  return comparePairs(newVersions)
    .filter((problem) => !known.has(JSON.stringify(problem)))
    .map(withoutValues);
}

function withoutValues({ values: _, ...problem }: VersionProblem): CrdUpgradeProblem {
  return problem;
}

function comparePairs(versions: readonly CrdVersionSchemas[]): VersionProblem[] {
  const served = versions.filter((version) => version.served).sort((a, b) => compareKubernetesVersions(a.name, b.name));
  // By the names of both versions, as in crdify: where two versions have one name, the last pair counts.
  const pairs = new Map<string, VersionProblem[]>();
  for (const [i, version] of served.entries()) {
    for (const next of served.slice(i + 1)) {
      const pair = `${version.name} -> ${next.name}`;
      pairs.set(pair, compareVersions(version, next, pair));
    }
  }
  return [...pairs.values()].flat();
}

const VERSION = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;
const STAGES = ["alpha", "beta", undefined];

/** Orders names of API versions from the oldest to the newest: `foo`, `v1alpha1`, `v1beta1`, `v1`, `v2`. */
function compareKubernetesVersions(a: string, b: string): number {
  const [left, right] = [VERSION.exec(a), VERSION.exec(b)];
  if (left === null || right === null) {
    // Names that are no versions come first, in reverse order.
    return Number(left !== null) - Number(right !== null) || (a === b ? 0 : a < b ? 1 : -1);
  }
  return (
    STAGES.indexOf(left[2]) - STAGES.indexOf(right[2]) || Number(left[1]) - Number(right[1]) || Number(left[3] ?? 0) - Number(right[3] ?? 0)
  );
}
