import { type Client, Conflict, NotFound } from "../client/index.ts";
import type { JsonObject } from "../kinds/index.ts";
import { covers, digest, project } from "../merge/index.ts";
import { AlreadyOwned } from "./already-owned.ts";
import { decide, type Live, type Memory } from "./decide.ts";
import { subject } from "./names.ts";
import type { Apply, PatchStatus, Plan, Prune, Skip, Step } from "./plan.ts";
import { isSecret, receiptIntent, receiptOf, withReceipt } from "./receipt.ts";

export interface Tools {
  /** Writes through to the cache, and ends with the run. */
  readonly client: Pick<Client, "apply" | "delete" | "find"> & { readonly status: Pick<Client["status"], "apply"> };
  /** The controller's name: field manager and receipt. */
  readonly manager: string;
  /** The uid of the object all this is for. */
  readonly owner: string;
  readonly memories: Map<string, Memory>;
  /** The answer as the cache keeps it. */
  readonly kept: (step: Apply, answer: Live) => Live;
  /** The server keeps these fields otherwise than they are wanted. */
  readonly rewritten: (step: Apply, paths: readonly string[]) => void;
}

/**
 * Does what the plan says: all applies, then, if none failed, all prunes, then the status. Rejects with what failed, after
 * everything that could be done has been done; `postponed`, which nobody comes back to then, too.
 */
export async function carryOut(plan: Plan, postponed: readonly PatchStatus[], tools: Tools): Promise<void> {
  const steps = <S extends Step>(wanted: S["step"]) => plan.filter((step): step is S => step.step === wanted);
  for (const { uid, remember } of steps<Skip>("skip")) if (remember !== undefined) tools.memories.set(uid, remember);
  const errors = await failuresOf(steps<Apply>("apply").map((step) => apply(step, tools)));
  if (errors.length === 0) errors.push(...(await failuresOf(steps<Prune>("prune").map((step) => prune(step, tools)))));
  const statuses = errors.length === 0 ? steps<PatchStatus>("status") : [...steps<PatchStatus>("status"), ...postponed];
  errors.push(...(await failuresOf(statuses.map((step) => patchStatus(step, tools)))));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1)
    throw new AggregateError(errors, errors.map((error) => (error instanceof Error ? error.message : String(error))).join("; "));
}

/**
 * Unknown fields are refused by every apply. What the server would look for besides are keys written twice, which an object
 * cannot have; for that it reads the body once more, a fifth of what the whole request costs it.
 */
const APPLY = { force: true, fieldValidation: "Ignore" } as const;

async function failuresOf(work: readonly Promise<unknown>[]): Promise<unknown[]> {
  const results = await Promise.allSettled(work);
  return results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
}

async function apply(step: Apply, tools: Tools): Promise<void> {
  const { kind, body, intent } = step;
  const live = step.unseen ? await lookedUp(step, tools) : step.live;
  const receipt = { controller: tools.manager, intent: receiptIntent(kind, body, intent) };
  const before = live && receiptOf(live.metadata);
  const kept = before?.controller === receipt.controller && before.intent === receipt.intent ? before.effect : undefined;
  let answer = await send(step, withReceipt(body, { effect: kept, ...receipt }), live?.metadata.uid, tools);
  const misses: string[] = [];
  if (!isSecret(kind) && !covers(body, answer, kind.shape, misses)) {
    // The server does not keep it as it was wanted: remember, on the object, what it makes of it.
    const effect = digest(project(body, answer, kind.shape));
    if (receiptOf(answer.metadata)?.effect !== effect) {
      tools.rewritten(step, misses);
      answer = await send(step, withReceipt(body, { ...receipt, effect }), answer.metadata.uid, tools);
    }
  }
  tools.memories.set(answer.metadata.uid, { intent, settled: tools.kept(step, answer) });
}

async function send({ kind }: Apply, body: JsonObject, uid: string | undefined, { client, manager }: Tools): Promise<Live> {
  const object = uid === undefined ? body : { ...body, metadata: { ...(body["metadata"] as JsonObject), uid } };
  return (await client.apply(kind, object as never, { fieldManager: manager, ...APPLY })) as unknown as Live;
}

/** The cache holds only objects that carry our label: another one of the same name would be taken over unseen. */
async function lookedUp(
  { kind, name, namespace, body, intent }: Apply,
  { client, manager, owner, memories }: Tools,
): Promise<Live | undefined> {
  const live = (await client.find(kind, { name, namespace } as never)) as unknown as Live | undefined;
  const decision = decide({ kind, body, intent, live, controller: manager, owner, memories });
  if (decision.step === "refuse")
    throw new AlreadyOwned(`controller ${manager} wants ${subject(kind, { name, namespace })}, but ${decision.why}`);
  return live;
}

async function prune({ kind, name, namespace, uid }: Prune, { client }: Tools): Promise<void> {
  try {
    await client.delete(kind, { name, namespace } as never, { uid, propagation: "Background" });
  } catch (error) {
    // Gone already, or another object has its name now.
    if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
  }
}

async function patchStatus({ kind, name, namespace, uid, status, part }: PatchStatus, { client, manager }: Tools): Promise<void> {
  const fieldManager = part === "status" ? manager : `${manager}.conditions`;
  try {
    await client.status.apply(kind, { metadata: { name, namespace, uid }, status } as never, { fieldManager, ...APPLY });
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
  }
}
