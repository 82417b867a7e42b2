import { AlreadyExists, NotFound } from "pintle/client";
import type { CatalogBundle } from "../../fbc/index.ts";
import { parseBlangRange, parseVersion } from "../../versions/index.ts";
import type { ManagerContext } from "../api/context.ts";
import { describeError } from "../api/failures.ts";
import { POLICY_FIELD_MANAGER, POLICY_GROUP } from "../api/names.ts";
import type { ExtensionPolicy } from "../api/policy-types.ts";
import { type ClusterExtension, ClusterExtensionKind } from "../api/types.ts";
import { Hold } from "./hold.ts";

/** The interval at which a missing dependency is checked again. */
const RETRY_MS = 5_000;
const REQUIRED_BY = `${POLICY_GROUP}/required-by`;

interface PackageRequirement {
  readonly packageName?: string;
  readonly versionRange?: string;
}
interface KindRequirement {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
}
interface DependencyConstraint {
  readonly package?: PackageRequirement;
  readonly gvk?: KindRequirement;
  readonly all?: { readonly constraints?: readonly DependencyConstraint[] };
  readonly any?: { readonly constraints?: readonly DependencyConstraint[] };
}

/** A missing dependency of a bundle; `package` is set if installing that package would provide it. */
interface Missing {
  readonly text: string;
  readonly package?: PackageRequirement;
}

/**
 * Throws `Hold` while something that a bundle depends on is missing: an installed package in a range of versions, or a served kind. With `Install`, missing
 * packages are installed into the same namespace. They are kept when the extension is removed, because other extensions may use them by then.
 */
export async function requireDependencies(
  context: Pick<ManagerContext, "client">,
  policy: ExtensionPolicy,
  extension: ClusterExtension,
  properties: CatalogBundle["properties"],
  extensions: readonly ClusterExtension[],
): Promise<void> {
  const missing: Missing[] = [];
  for (const { type, value } of properties ?? []) {
    if (type === "olm.package.required")
      missing.push(...(await findMissing(context, { package: value as PackageRequirement }, extensions)));
    if (type === "olm.gvk.required") missing.push(...(await findMissing(context, { gvk: value as KindRequirement }, extensions)));
    if (type === "olm.constraint") missing.push(...(await findMissing(context, value as DependencyConstraint, extensions)));
  }
  if (missing.length === 0) return;
  if (policy.spec.dependencies === "Install") {
    for (const each of missing) if (each.package !== undefined) await installPackage(context, extension, each.package, extensions);
  }
  throw new Hold("DependenciesMissing", `the bundle depends on ${missing.map(({ text }) => text).join(", ")}`, RETRY_MS);
}

async function findMissing(
  context: Pick<ManagerContext, "client">,
  constraint: DependencyConstraint,
  extensions: readonly ClusterExtension[],
): Promise<Missing[]> {
  if (constraint.package !== undefined) return findMissingPackage(constraint.package, extensions);
  if (constraint.gvk !== undefined) return findMissingKind(context, constraint.gvk);
  if (constraint.all !== undefined) {
    return (await Promise.all((constraint.all.constraints ?? []).map((each) => findMissing(context, each, extensions)))).flat();
  }
  if (constraint.any !== undefined) {
    const found = await Promise.all((constraint.any.constraints ?? []).map((each) => findMissing(context, each, extensions)));
    if (found.some((each) => each.length === 0)) return [];
    // The manager does not choose between alternatives.
    return [{ text: `one of (${found.map((each) => each.map(({ text }) => text).join(" and ")).join(" | ")})` }];
  }
  return [{ text: `something that cannot be evaluated: ${JSON.stringify(constraint)}` }];
}

function findMissingPackage(requirement: PackageRequirement, extensions: readonly ClusterExtension[]): Missing[] {
  const { packageName = "", versionRange = "" } = requirement;
  const installed = extensions.filter(({ spec }) => spec.source.catalog?.packageName === packageName);
  const versions = installed.flatMap(({ status }) => (status?.install === undefined ? [] : [status.install.bundle.version]));
  try {
    const range = versionRange === "" ? () => true : parseBlangRange(versionRange);
    if (versions.some((version) => range(parseVersion(version)))) return [];
  } catch (error) {
    return [{ text: `package ${packageName} in a range that cannot be parsed: ${describeError(error)}` }];
  }
  const has = versions.length === 0 ? "is not installed" : `is installed as ${versions.join(", ")}`;
  return [{ text: `package ${packageName} ${versionRange}, which ${has}`, ...(versions.length === 0 ? { package: requirement } : {}) }];
}

async function findMissingKind(
  { client }: Pick<ManagerContext, "client">,
  { group = "", version = "", kind = "" }: KindRequirement,
): Promise<Missing[]> {
  try {
    await client.discoverKind(group === "" ? version : `${group}/${version}`, kind);
    return [];
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    return [{ text: `kind ${kind} of ${group}/${version}, which is not served` }];
  }
}

async function installPackage(
  { client }: Pick<ManagerContext, "client">,
  { metadata, spec }: ClusterExtension,
  { packageName = "", versionRange = "" }: PackageRequirement,
  extensions: readonly ClusterExtension[],
): Promise<void> {
  if (extensions.some((each) => each.spec.source.catalog?.packageName === packageName)) return;
  const catalog = { packageName, ...(versionRange === "" ? {} : { version: versionRange }) };
  const body = {
    metadata: { name: packageName, labels: { [REQUIRED_BY]: metadata.name } },
    spec: { namespace: spec.namespace, source: { sourceType: "Catalog", catalog } },
  };
  try {
    await client.create(ClusterExtensionKind, body, { fieldManager: POLICY_FIELD_MANAGER });
  } catch (error) {
    if (!(error instanceof AlreadyExists)) throw error;
    throw new Hold("DependenciesMissing", `the bundle depends on package ${packageName}, and another extension has its name`);
  }
}
