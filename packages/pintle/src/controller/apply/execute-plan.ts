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
  /** Called before a child is created. */
  readonly onCreate: (step: ApplyStep) => Promise<void>;
  /** Called before a child is deleted. */
  readonly onPrune: (step: PruneStep) => Promise<void>;
  /** Called before the status is applied. */
  readonly onStatus: (step: StatusStep) => Promise<void>;
  /** Called with the response; `undefined` if the object has been deleted. */
  readonly onStatusApplied: (step: StatusStep, response: LiveJsonObject | undefined) => void;
  /** The audit id of the request that executes a step. Default: the next one of the run, if it is recorded. */
  readonly auditIdOf?: ((step: PlanStep) => string | undefined) | undefined;
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
  if (errors.length === 0)
    errors.push(...(await collectErrors(stepsOf<StatusStep>("status").map((step) => executeStatusStep(step, deps)))));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) {
    const message = errors.map((error) => (error instanceof Error ? error.message : String(error))).join("; ");
    throw Object.assign(new AggregateError(errors, message), { code: "PINTLE3025" });
  }
}

/**
 * Every apply rejects unknown fields. `fieldValidation` would only add a check for duplicate keys, which an object cannot have, and makes the
 * API server decode the body twice: a fifth of the cost of the request.
 */
const APPLY_OPTIONS = { force: true, fieldValidation: "Ignore" } as const;

async function collectErrors(work: readonly Promise<unknown>[]): Promise<unknown[]> {
  if (work.length === 0) return [];
  const results = await Promise.allSettled(work);
  return results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
}

async function executeApply(step: ApplyStep, deps: ExecutePlanDeps): Promise<void> {
  const { kind, body, desiredDigest } = step;
  if (step.isRepair) await deps.onRepair(step);
  const live = step.needsLiveRead ? await readLive(step, deps) : step.live;
  if (step.isCreateOnly && live !== undefined) return;
  if (live === undefined) await deps.onCreate(step);
  const record = { controller: deps.fieldManager, desiredDigest: digestForRecord(kind, body, desiredDigest) };
  const before = live && readLastApplied(live.metadata);
  const isSameRecord = before?.controller === record.controller && before.desiredDigest === record.desiredDigest;
  const resultDigest = isSameRecord ? before.resultDigest : undefined;
  let response = await sendApply(
    step,
    withLastApplied(body, { ...record, resultDigest }),
    live?.metadata.uid,
    deps,
    deps.auditIdOf?.(step),
  );
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
  auditId?: string,
): Promise<LiveJsonObject> {
  const object = uid === undefined ? body : { ...body, metadata: { ...(body["metadata"] as JsonObject), uid } };
  const options = auditId === undefined ? { fieldManager, ...APPLY_OPTIONS } : { fieldManager, ...APPLY_OPTIONS, auditId };
  return (await client.apply(kind, object as never, options)) as unknown as LiveJsonObject;
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

async function executePrune(step: PruneStep, { client, auditIdOf, onPrune }: ExecutePlanDeps): Promise<void> {
  const { kind, name, namespace, uid } = step;
  await onPrune(step);
  try {
    await client.delete(kind, { name, namespace } as never, { uid, propagation: "Background", auditId: auditIdOf?.(step) });
  } catch (error) {
    // Already deleted, or another object has the name now.
    if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
  }
}

async function executeStatusStep(step: StatusStep, deps: ExecutePlanDeps): Promise<void> {
  await deps.onStatus(step);
  deps.onStatusApplied(step, await executeStatus(step, deps));
}

/** Returns the field manager of a part of the status. */
export const statusFieldManager = (controller: string, part: StatusStep["part"]) =>
  part === "status" ? controller : `${controller}.conditions`;

/** Applies the status and returns the object; `undefined` if it has been deleted meanwhile, which is no failure. */
export async function executeStatus(
  step: StatusStep,
  { client, fieldManager: controller, auditIdOf }: Pick<ExecutePlanDeps, "client" | "fieldManager" | "auditIdOf">,
): Promise<LiveJsonObject | undefined> {
  const { kind, name, namespace, uid, status, part } = step;
  const options = { fieldManager: statusFieldManager(controller, part), ...APPLY_OPTIONS, auditId: auditIdOf?.(step) };
  try {
    return (await client.status.apply(kind, { metadata: { name, namespace, uid }, status } as never, options)) as unknown as LiveJsonObject;
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    return undefined;
  }
}
