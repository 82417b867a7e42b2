import { type Client, Conflict, NotFound } from "../../client/index.ts";
import type { JsonObject } from "../../json/index.ts";
import { digest, isSatisfiedBy, selectDesiredFields } from "../../merge/index.ts";
import { AlreadyOwned } from "../errors.ts";
import { formatObject } from "../names.ts";
import { decide, type LiveJsonObject, type SettledSnapshot } from "../plan/decide.ts";
import { digestForRecord, isSecret, readLastApplied, withLastApplied } from "../plan/last-applied.ts";
import type { ApplyStep, Plan, PlanStep, PruneStep, SkipStep, StatusStep } from "../plan/plan.ts";

export interface ExecutePlanDeps {
  /** Writes through to the cache; its calls are aborted with the reconcile pass. */
  readonly client: Pick<Client, "apply" | "delete" | "find"> & { readonly status: Pick<Client["status"], "apply"> };
  /** The controller's name: field manager, and owner of the last-applied record. */
  readonly fieldManager: string;
  /** The uid of the reconciled object. */
  readonly ownerUid: string;
  readonly settledSnapshots: Map<string, SettledSnapshot>;
  /** Returns the cached object for the response of an apply. */
  readonly toCachedObject: (step: ApplyStep, response: LiveJsonObject) => LiveJsonObject;
  /** Called before a repair. */
  readonly onRepair: (step: ApplyStep) => Promise<void>;
  /** The API server stores these fields differently than they were applied. */
  readonly onServerRewrite: (step: ApplyStep, paths: readonly string[]) => void;
}

/**
 * Executes a plan: all applies concurrently, then, if none failed, all prunes, then, if none failed, the status. Rejects with the errors after
 * everything that could be executed has been. The status of a failed pass is written with the failure in it: see `reportFailure`.
 */
export async function executePlan(plan: Plan, deps: ExecutePlanDeps): Promise<void> {
  const stepsOf = <S extends PlanStep>(type: S["step"]) => plan.filter((step): step is S => step.step === type);
  for (const { uid, snapshot } of stepsOf<SkipStep>("skip")) if (snapshot !== undefined) deps.settledSnapshots.set(uid, snapshot);
  const errors = await collectErrors(stepsOf<ApplyStep>("apply").map((step) => executeApply(step, deps)));
  if (errors.length === 0) errors.push(...(await collectErrors(stepsOf<PruneStep>("prune").map((step) => executePrune(step, deps)))));
  if (errors.length === 0) errors.push(...(await collectErrors(stepsOf<StatusStep>("status").map((step) => executeStatus(step, deps)))));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1)
    throw new AggregateError(errors, errors.map((error) => (error instanceof Error ? error.message : String(error))).join("; "));
}

/**
 * Every apply rejects unknown fields. `fieldValidation` would only add a check for duplicate keys, which an object cannot have, and makes the
 * API server decode the body twice: a fifth of the cost of the request.
 */
const APPLY_OPTIONS = { force: true, fieldValidation: "Ignore" } as const;

async function collectErrors(work: readonly Promise<unknown>[]): Promise<unknown[]> {
  const results = await Promise.allSettled(work);
  return results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
}

async function executeApply(step: ApplyStep, deps: ExecutePlanDeps): Promise<void> {
  const { kind, body, desiredDigest } = step;
  if (step.isRepair) await deps.onRepair(step);
  const live = step.needsLiveRead ? await readLive(step, deps) : step.live;
  if (step.isCreateOnly && live !== undefined) return;
  const record = { controller: deps.fieldManager, desiredDigest: digestForRecord(kind, body, desiredDigest) };
  const before = live && readLastApplied(live.metadata);
  const isSameRecord = before?.controller === record.controller && before.desiredDigest === record.desiredDigest;
  const resultDigest = isSameRecord ? before.resultDigest : undefined;
  let response = await sendApply(step, withLastApplied(body, { ...record, resultDigest }), live?.metadata.uid, deps);
  const mismatches: string[] = [];
  if (!isSecret(kind) && !isSatisfiedBy(body, response, kind.shape, mismatches)) {
    // The server stores it differently than applied: record the digest of the result, so that the next comparison is with that.
    const stored = digest(selectDesiredFields(body, response, kind.shape));
    if (readLastApplied(response.metadata)?.resultDigest !== stored) {
      deps.onServerRewrite(step, mismatches);
      response = await sendApply(step, withLastApplied(body, { ...record, resultDigest: stored }), response.metadata.uid, deps);
    }
  }
  deps.settledSnapshots.set(response.metadata.uid, { desiredDigest, object: deps.toCachedObject(step, response) });
}

async function sendApply(
  { kind }: ApplyStep,
  body: JsonObject,
  uid: string | undefined,
  { client, fieldManager }: ExecutePlanDeps,
): Promise<LiveJsonObject> {
  const object = uid === undefined ? body : { ...body, metadata: { ...(body["metadata"] as JsonObject), uid } };
  return (await client.apply(kind, object as never, { fieldManager, ...APPLY_OPTIONS })) as unknown as LiveJsonObject;
}

/** Reads a child live that the cache may not hold: an apply would take over any other object. */
async function readLive(
  { kind, name, namespace, body, desiredDigest }: ApplyStep,
  { client, fieldManager, ownerUid, settledSnapshots }: ExecutePlanDeps,
): Promise<LiveJsonObject | undefined> {
  const live = (await client.find(kind, { name, namespace } as never)) as unknown as LiveJsonObject | undefined;
  const decision = decide({ kind, body, desiredDigest, live, controller: fieldManager, ownerUid, settledSnapshots });
  if (decision.step === "refuse")
    throw new AlreadyOwned(`controller ${fieldManager} wants ${formatObject(kind, { name, namespace })}, but ${decision.reason}`);
  return live;
}

async function executePrune({ kind, name, namespace, uid }: PruneStep, { client }: ExecutePlanDeps): Promise<void> {
  try {
    await client.delete(kind, { name, namespace } as never, { uid, propagation: "Background" });
  } catch (error) {
    // Already deleted, or another object has the name now.
    if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
  }
}

/** Applies the status. An object that has been deleted meanwhile is no failure. */
export async function executeStatus(
  { kind, name, namespace, uid, status, part }: StatusStep,
  { client, fieldManager: controller }: Pick<ExecutePlanDeps, "client" | "fieldManager">,
): Promise<void> {
  const fieldManager = part === "status" ? controller : `${controller}.conditions`;
  try {
    await client.status.apply(kind, { metadata: { name, namespace, uid }, status } as never, { fieldManager, ...APPLY_OPTIONS });
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
  }
}
