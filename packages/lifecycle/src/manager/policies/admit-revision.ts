import type { JsonObject } from "pintle/internal/json";
import { findMissingRules, findNextOpening, formatRules, isWindowOpen, parseWindow } from "../../policy/index.ts";
import type { ManagerContext } from "../api/context.ts";
import { describeError, failure } from "../api/failures.ts";
import { GENERATION_ANNOTATION, INSTALLER_ANNOTATION, POLICY_FIELD_MANAGER } from "../api/names.ts";
import { type ExtensionPlan, ExtensionPlanKind, type ExtensionPlanStatus, type ExtensionPolicy } from "../api/policy-types.ts";
import type { ClusterExtension } from "../api/types.ts";
import { checkDefinitions } from "../extensions/check-definitions.ts";
import type { RevisionMetadata } from "../extensions/revision-states.ts";
import { type ComputedPlan, computePlan } from "./compute-plan.ts";
import { Hold } from "./hold.ts";
import { deriveRules, grantInstallerRules, installerOf, mergeRuleLists, readInstallerRules } from "./installer-account.ts";

/** A revision to admit. */
export interface RevisionRequest {
  readonly extension: ClusterExtension;
  readonly policy: ExtensionPolicy;
  readonly revision: RevisionMetadata;
  /** The installed bundle, with the number of its revision. */
  readonly installed: (RevisionMetadata & { readonly number: number }) | undefined;
  readonly objects: readonly JsonObject[];
  /** The objects of the newest revision; empty if there is none. */
  readonly current: readonly JsonObject[];
  readonly isFirst: boolean;
  readonly images?: ExtensionPlanStatus["images"];
  readonly refused?: ExtensionPlanStatus["refused"];
  /** CRDs that crdify refuses are refused before an approval is requested. Default: they are not checked. */
  readonly checksDefinitions?: boolean;
}

/** The maximum number of objects that a message names. */
const NAMED_OBJECTS = 5;
/** The interval at which stored objects are checked again. */
const STORED_RETRY_MS = 30_000;

type ApprovalContext = Pick<ManagerContext, "client" | "clock" | "logger">;

/**
 * Writes the plan of a revision, and throws `Hold` while the policy does not admit it: without approval, without the required permissions, or outside of the window. Once
 * it returns, exactly the changes of the plan may be applied.
 */
export async function admitRevision(context: ApprovalContext, request: RevisionRequest): Promise<void> {
  const { client, clock } = context;
  const { extension, policy, revision, installed, objects, current, isFirst } = request;
  const { name } = extension.metadata;
  const plan = await computePlan(client, {
    extension: name,
    from:
      installed === undefined
        ? undefined
        : { name: installed.bundle.name, version: installed.bundle.version, image: installed.image, revision: installed.number },
    to: { name: revision.bundle.name, version: revision.bundle.version, image: revision.image },
    objects,
    current,
    images: request.images,
    refused: request.refused ?? [],
    now: clock.now(),
  });
  await writePlan(context, extension, plan);
  if (request.checksDefinitions === true) await checkDefinitions(client, objects);
  const { refused = [] } = request;
  if (refused.length > 0) {
    const shown = refused
      .slice(0, NAMED_OBJECTS)
      .map(({ kind, namespace, name: of, message }) => `${kind} ${namespace === undefined ? "" : `${namespace}/`}${of}: ${message}`);
    const more =
      refused.length > shown.length
        ? `; and ${refused.length - shown.length} more in ExtensionPlan ${planName(name, revision.bundle.version)}`
        : "";
    throw new Hold(
      "StoredObjectsRefused",
      `version ${revision.bundle.version} has CRDs that stored objects do not fit: ${shown.join("; ")}${more}`,
      STORED_RETRY_MS,
    );
  }
  const { spec } = policy;
  const isApproved = (spec.approved ?? []).includes(plan.spec.digest);
  const needsApproval = spec.approval === "Manual" || (spec.approval === "ManualAfterFirst" && !isFirst);
  const { version } = revision.bundle;
  const how = `add ${plan.spec.digest} to spec.approved of ExtensionPolicy ${policy.metadata.name}, or run 'pintle operator approve ${name}'`;
  if (needsApproval && !isApproved) throw new Hold("WaitingForApproval", `version ${version} waits for approval: ${how}`);
  const missing = spec.rights === "Derived" ? await findMissingRights(context, request, isApproved) : undefined;
  if (missing !== undefined) {
    throw new Hold("WaitingForRights", `version ${version} needs more rights, and waits for approval: ${missing}; ${how}`);
  }
  if (spec.window === undefined || isFirst) return;
  const window = parseWindow(spec.window);
  if (isWindowOpen(window, clock.now())) return;
  const next = findNextOpening(window, clock.now());
  const when = next === undefined ? "which never opens" : `which opens at ${new Date(next).toISOString().replace(".000Z", "Z")}`;
  throw new Hold(
    "WaitingForWindow",
    `version ${version} waits for the window of ExtensionPolicy ${policy.metadata.name}, ${when}`,
    next === undefined ? undefined : next - clock.now(),
  );
}

/**
 * Grants the installer the rules that the revision needs if they were approved, or if nothing was installed before. Returns the missing rules otherwise. A rule
 * that an administrator has removed is not granted again.
 */
async function findMissingRights(
  { client }: ApprovalContext,
  { extension, objects, current, isFirst }: RevisionRequest,
  isApproved: boolean,
): Promise<string | undefined> {
  const needed = await deriveRules(client, objects);
  const before = await deriveRules(client, current);
  const granted = await readInstallerRules(client, extension);
  // An extension that was installed before the policy existed keeps its rules.
  const allowed = granted ?? (isFirst ? needed : before);
  const missing = findMissingRules(needed, allowed);
  if (missing.length > 0 && !isApproved) return formatRules(missing);
  if (granted === undefined || missing.length > 0) await grantInstallerRules(client, extension, mergeRuleLists(needed, before));
  return undefined;
}

/** Removes rules that only an older revision needed. Called when the newest revision has rolled out. */
export async function trimInstallerRules(
  { client }: ApprovalContext,
  extension: ClusterExtension,
  objects: readonly JsonObject[],
): Promise<void> {
  const granted = await readInstallerRules(client, extension);
  if (granted === undefined) return;
  const needed = await deriveRules(client, objects);
  const kept = needed.filter((rule) => findMissingRules([rule], granted).length === 0);
  if (findMissingRules(granted, kept).length > 0 && kept.length > 0) await grantInstallerRules(client, extension, kept);
}

/** The annotations of a revision that a policy admits. */
export function admissionAnnotations(extension: ClusterExtension, policy: ExtensionPolicy): Record<string, string> {
  const { namespace, name } = installerOf(extension);
  return {
    [GENERATION_ANNOTATION]: String(extension.metadata.generation ?? 0),
    ...(policy.spec.rights === "Derived" ? { [INSTALLER_ANNOTATION]: `${namespace}/${name}` } : {}),
  };
}

/** The name of the plan of an extension for a version. Build metadata has a character that names cannot have. */
export function planName(extension: string, version: string): string {
  return `${extension}-${version.toLowerCase().replaceAll(/[^a-z0-9.-]/g, ".")}`;
}

async function writePlan({ client }: ApprovalContext, extension: ClusterExtension, { spec, status }: ComputedPlan): Promise<void> {
  const name = planName(extension.metadata.name, spec.to.version);
  const { uid } = extension.metadata;
  try {
    const existing = await client.find(ExtensionPlanKind, { name });
    const isSame = existing?.spec.digest === spec.digest && sameContent(existing, status);
    if (isSame) return;
    const owner = {
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterExtension",
      name: extension.metadata.name,
      uid,
      controller: true,
    };
    const options = { force: true, fieldManager: POLICY_FIELD_MANAGER };
    const written = await client.apply(
      ExtensionPlanKind,
      { metadata: { name, ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }, spec } as never,
      options,
    );
    await client.status.replace(ExtensionPlanKind, { ...written, status } as never, { fieldManager: POLICY_FIELD_MANAGER });
  } catch (error) {
    throw failure(`writing ExtensionPlan ${name}: ${describeError(error)}`, error);
  }
}

/** Whether a stored plan is equal, apart from the time and the inputs of its computation. */
function sameContent({ status }: ExtensionPlan, next: ExtensionPlanStatus): boolean {
  const strip = ({ computedAt: _, computedFrom: __, ...rest }: ExtensionPlanStatus) => JSON.stringify(sortKeys(rest));
  return status !== undefined && strip(status) === strip(next);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, sortKeys(field)]),
  );
}
