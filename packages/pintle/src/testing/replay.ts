import { deepFreeze, type StoredObject } from "../cache/index.ts";
import { type Client, errorFromResponse, type TransportResponse } from "../client/index.ts";
import { type Clock, virtualClock } from "../clock/index.ts";
import { type Controller, formatCall, type ReplayedPlan, replayPass } from "../controller/index.ts";
import { PintleError } from "../errors/index.ts";
import { type JsonObject, stringifyJson } from "../json/index.ts";
import type { KindInfo } from "../kinds/index.ts";
import { canonicalJson, digest } from "../merge/index.ts";
import type { Fact, ObjectIdentity, PlanFact, PlannedStep, RecordedCall, RunFact } from "../recorder/index.ts";
import { createSimulatedCache } from "./simulated-cache.ts";
import { type SimulatedStore, toKey } from "./simulated-store.ts";

/** A recorded reconcile pass beside what today's code decides on the same objects. */
export interface ReplayedPass {
  readonly pass: number;
  readonly recorded: ReplayedPlan;
  readonly replayed: ReplayedPlan;
  /** Digests of what both decided; equal digests mean equal plans. */
  readonly digests: { readonly recorded: string; readonly replayed: string };
  /** Why the pass cannot be compared, although it was replayed: it read secrets, or something outside the cluster. Default: it can be. */
  readonly incomparable?: string | undefined;
  /** What differs, one line each; empty if both plans are equal. */
  readonly differences: readonly string[];
}

/** The result of `replayRun()`. */
export interface Replay {
  readonly run: RunFact;
  readonly passes: readonly ReplayedPass[];
  /** Whether every pass that can be compared decides as it did. */
  readonly isSame: boolean;
}

/**
 * Runs the passes of a recorded run with today's code, each on the object versions that it was given then, and compares the plans. Nothing is sent.
 *
 * ## Guarantees
 *
 * - Objects, the responses of `client`, the time of `context.now` and the reasons are those of the recording.
 * - A pass that read secrets, or something outside the cluster through `fetch`, a socket, `context.clock` or a stream of `client`, is marked as
 *   `incomparable`. Reads of `Date.now()`, files and `Math.random()` are not noticed: use `context.now`.
 *
 * @example
 * ```ts
 * import { type Controller, type Fact } from "pintle";
 * import { replayRun } from "pintle/testing";
 *
 * export async function decidesAsRecorded(controllers: readonly Controller[], facts: readonly Fact[], run: string): Promise<boolean> {
 *   const { isSame } = await replayRun(controllers, facts, run);
 *   return isSame;
 * }
 * ```
 */
export async function replayRun(controllers: readonly Controller[], facts: readonly Fact[], run: string): Promise<Replay> {
  const recorded = facts.find((fact): fact is RunFact => fact.type === "run" && fact.id === run);
  if (recorded === undefined) throw new PintleError("PINTLE3205", `run ${run} is not in the recording`);
  const controller = controllers.find(({ name }) => name === recorded.controller);
  if (controller === undefined)
    throw new PintleError(
      "PINTLE3205",
      `run ${run} is one of controller ${recorded.controller}, which is not among ${controllers.map(({ name }) => name).join(", ")}`,
    );
  const plans = facts.filter((fact): fact is PlanFact => fact.type === "plan" && fact.run === run);
  const versions = indexVersions(facts);
  const passes: ReplayedPass[] = [];
  for (const plan of plans) passes.push(await replayPlan(controller, plan, versions));
  return {
    run: recorded,
    passes,
    isSame: passes.every(({ incomparable, differences }) => incomparable !== undefined || differences.length === 0),
  };
}

type Versions = ReadonlyMap<string, { readonly kind: string; readonly object: JsonObject }>;
const versionId = ({ uid, resourceVersion }: { readonly uid?: unknown; readonly resourceVersion?: unknown }) => `${uid} ${resourceVersion}`;

function indexVersions(facts: readonly Fact[]): Versions {
  const versions = new Map<string, { readonly kind: string; readonly object: JsonObject }>();
  for (const fact of facts) if (fact.type === "object") versions.set(versionId(fact.object["metadata"] as JsonObject), fact);
  return versions;
}

async function replayPlan(controller: Controller, plan: PlanFact, versions: Versions): Promise<ReplayedPass> {
  const given = [plan.object, ...plan.reads, ...(plan.calls ?? []).flatMap(({ objects = [] }) => objects)];
  const incomparable = findObstacle(plan, given, versions);
  const { reads, reconcileReads = reads.length } = plan;
  const find = (identities: readonly ObjectIdentity[]) => identities.flatMap((identity) => versions.get(versionId(identity)) ?? []);
  const objects = createRecordedObjects();
  // Of several versions, `reconcile` saw the first one first; later ones are those that it wrote or that arrived meanwhile.
  objects.add(find([plan.object, ...reads].reverse()));
  const recorded: ReplayedPlan = plan;
  if (versions.get(versionId(plan.object)) === undefined)
    return {
      pass: plan.pass,
      recorded,
      replayed: { steps: [] },
      digests: { recorded: digestPlan(plan), replayed: "" },
      incomparable,
      differences: [],
    };
  const unserved = new Set(plan.state?.unserved);
  const simulated = createSimulatedCache(objects);
  const watch = simulated.watch.bind(simulated);
  const cache = Object.assign(Object.create(simulated) as typeof simulated, {
    watch: (kind: KindInfo) => {
      const view = watch(kind as never);
      return unserved.has(kind.id) ? { ...view, health: () => [{ problem: { type: "missing" } }] } : view;
    },
    recordWrite(kind: KindInfo, object: object) {
      objects.add([{ kind: kind.id, object: object as JsonObject }]);
      return true;
    },
  });
  const clock = createRecordedClock(plan);
  const client = createRecordedClient(plan.calls ?? [], versions);
  const onDecide = () => objects.add(find(reads.slice(reconcileReads)));
  const replayed = await replayPass(controller, plan, { cache: cache as never, client, clock, onDecide });
  return {
    pass: plan.pass,
    recorded,
    replayed,
    digests: { recorded: digestPlan(plan), replayed: digestPlan(replayed) },
    incomparable:
      incomparable ?? (replayed.outside === undefined ? undefined : `it reads outside of the cluster now: ${replayed.outside.join(", ")}`),
    differences: comparePlans(plan, replayed),
  };
}

/** Why a pass cannot be compared. */
function findObstacle(plan: PlanFact, given: readonly ObjectIdentity[], versions: Versions): string | undefined {
  if (plan.outside !== undefined) return `it read outside of the cluster: ${plan.outside.join(", ")}`;
  const missing = given.find((identity) => !versions.has(versionId(identity)));
  const format = ({ kind, namespace, name }: ObjectIdentity) => `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
  if (missing !== undefined) return `the version of ${format(missing)} that it read is not in the recording any more`;
  const secret = given.find((identity) => stringifyJson(versions.get(versionId(identity))?.object).includes("(redacted "));
  if (secret !== undefined) return `it read secrets of ${format(secret)}, which are not recorded`;
  return plan.redacted === true ? "it wrote secrets, which are not recorded" : undefined;
}

/** The parts of a store that a cache reads, with the recorded objects. */
type RecordedObjects = SimulatedStore & { add(recorded: readonly { readonly kind: string; readonly object: JsonObject }[]): void };

function createRecordedObjects(): RecordedObjects {
  const byKind = new Map<string, Map<string, StoredObject>>();
  return {
    add(recorded: Parameters<RecordedObjects["add"]>[0]) {
      for (const { kind, object } of recorded) {
        const known = byKind.get(kind) ?? new Map<string, StoredObject>();
        byKind.set(kind, known);
        const stored = deepFreeze(structuredClone(object)) as unknown as StoredObject;
        known.set(toKey(stored.metadata), stored);
      }
    },
    find: (kind: KindInfo, ref: { readonly name: string; readonly namespace?: string }) => byKind.get(kind.id)?.get(toKey(ref)),
    list: (kind: KindInfo) => [...(byKind.get(kind.id)?.values() ?? [])],
  } as unknown as RecordedObjects;
}

/** A clock that shows the recorded times, in the order in which they were read. */
function createRecordedClock({ now, times = [] }: PlanFact): Clock {
  const clock = virtualClock(now);
  const rest = [now, ...times];
  let last = now;
  return Object.assign(Object.create(clock) as Clock, {
    now() {
      last = rest.shift() ?? last;
      return last;
    },
  });
}

/** A client that gives the recorded responses, in the order of calls of the same kind. A call that was not recorded fails. */
function createRecordedClient(calls: readonly RecordedCall[], versions: Versions): Client {
  const answers = new Map<string, RecordedCall[]>();
  for (const call of calls) answers.set(call.call, [...(answers.get(call.call) ?? []), call]);
  const call = async (verb: string, kind: KindInfo, args: readonly unknown[]) => {
    const name = formatCall(verb, kind, args);
    const answer = answers.get(name)?.shift();
    if (answer === undefined) throw new PintleError("PINTLE3205", `the recorded pass did not call ${name}, so its response is not known`);
    if (answer.error !== undefined) throw await createRecordedError(answer.error, name);
    const objects = (answer.objects ?? []).map((identity) => deepFreeze(structuredClone(versions.get(versionId(identity))?.object ?? {})));
    if (verb === "list") return { metadata: {}, items: objects };
    return objects[0];
  };
  const verbs = (part = "") =>
    Object.fromEntries(
      ["get", "find", "list", "create", "replace", "patch", "apply", "delete", "deleteCollection", "createToken"].map((verb) => [
        verb,
        (kind: KindInfo, ...args: unknown[]) => call(`${verb}${part}`, kind, args),
      ]),
    );
  return {
    ...verbs(),
    namespace: "default",
    status: verbs(" status"),
    scale: verbs(" scale"),
    subresource: (name: string) => verbs(` ${name}`),
    close: async () => {},
  } as unknown as Client;
}

async function createRecordedError({ code, reason, message }: NonNullable<RecordedCall["error"]>, call: string): Promise<Error> {
  if (code === 0) return new PintleError("PINTLE3205", message);
  const status = { apiVersion: "v1", kind: "Status", status: "Failure", code, reason, message };
  const response = {
    status: code,
    headers: {},
    json: async () => status,
    text: async () => JSON.stringify(status),
  } as unknown as TransportResponse;
  return errorFromResponse(response, { request: call });
}

/** The comparable part of a step: what is done to which object, and with which content. */
function identifyStep({ step, kind, namespace, name, digest: content }: PlannedStep): JsonObject {
  return { step, kind, namespace, name, digest: content };
}

/** Steps that the plan decides; a write of `client` is a call. */
const decided = ({ steps }: ReplayedPlan) => steps.filter(({ step }) => step !== "write");
const READS = /^(get|find|list)( |$)/;
const writes = ({ calls = [] }: ReplayedPlan) => calls.map(({ call }) => call).filter((call) => !READS.test(call));

function digestPlan(plan: ReplayedPlan): string {
  return digest({ steps: decided(plan).map(identifyStep), writes: writes(plan), requeueAfter: plan.requeueAfter, error: plan.error });
}

function comparePlans(recorded: ReplayedPlan, replayed: ReplayedPlan): readonly string[] {
  const differences: string[] = [];
  const nameOf = ({ step, kind, namespace, name }: PlannedStep) =>
    `${step} ${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
  const [before, now] = [decided(recorded), decided(replayed)];
  const byName = new Map(before.map((step) => [nameOf(step), step]));
  for (const step of now) {
    const known = byName.get(nameOf(step));
    byName.delete(nameOf(step));
    if (known === undefined) differences.push(`now: ${nameOf(step)}${formatChanges(step)}`);
    else if (known.digest !== step.digest) differences.push(`${nameOf(step)}: was${formatChanges(known)}, is${formatChanges(step)}`);
  }
  for (const [name, step] of byName) differences.push(`no longer: ${name}${formatChanges(step)}`);
  if (recorded.error !== replayed.error)
    differences.push(`failed with: ${recorded.error ?? "nothing"}, now: ${replayed.error ?? "nothing"}`);
  if (recorded.requeueAfter !== replayed.requeueAfter)
    differences.push(`requeueAfter: ${recorded.requeueAfter ?? "none"}, now: ${replayed.requeueAfter ?? "none"}`);
  if (canonicalJson(writes(recorded)) !== canonicalJson(writes(replayed)))
    differences.push(`wrote with client: ${writes(recorded).join(", ") || "nothing"}, now: ${writes(replayed).join(", ") || "nothing"}`);
  return differences;
}

const MAX_VALUE = 60;
function formatChanges({ changes, body }: PlannedStep): string {
  const text = (value: unknown) => {
    const json = value === undefined ? "unset" : stringifyJson(value);
    return json.length > MAX_VALUE ? `${json.slice(0, MAX_VALUE)}…` : json;
  };
  if (body !== undefined) return ` ${text(body["spec"] ?? body["data"] ?? body)}`;
  if (changes === undefined) return "";
  return ` ${changes.map(({ path, old, new: now }) => `${path} ${text(old)} -> ${text(now)}`).join(", ")}`;
}
