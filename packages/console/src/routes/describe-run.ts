import type { PlanFact, RunFact } from "pintle";
import { runIdOfAuditId } from "pintle/internal/recorder";
import { type RequestFacts, requestPath } from "../facts/index.ts";
import type { PlanPass, PlanStep, RequestSummary, RunSummary, StoryText } from "../protocol.ts";
import { compact } from "./describe-commit.ts";
import type { View } from "./route-context.ts";

/** Of work queues, where the recording has no end of a backoff. */
const FIRST_BACKOFF_MS = 5;
const MAX_BACKOFF_MS = 1_000_000;

export function describeRun({ index }: View, run: RunFact): RunSummary {
  const { id, controller, key, waited, duration, result, causes, requeueAfter } = run;
  const commits = index.commitsOfRun.get(id) ?? [];
  return {
    id,
    sequence: run.sequence,
    controller,
    key,
    object: index.pathOfRun(controller, key),
    time: Math.round(run.time - (result === "running" ? 0 : duration)),
    waited,
    duration,
    reconciling: run.reconciling,
    requesting: run.requesting,
    result,
    error: run.error,
    causes,
    writes: index.requestsOfRun.get(id)?.length ?? 0,
    commits: [...new Set(commits)],
    requeueAfter,
    nextRetry: retryTime(index, run),
    build: buildAt(index, run.sequence),
  };
}

/** When the key is enqueued again: as its backoff was recorded, as the run asked for, or by the usual backoff after failures in a row. */
export function retryTime(index: View["index"], { id, time, requeueAfter, result }: RunFact): number | undefined {
  const recorded = index.backoffEnds.get(id);
  if (recorded !== undefined) return recorded;
  if (requeueAfter !== undefined) return time + requeueAfter;
  if (result !== "error") return undefined;
  return time + Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** ((index.failures.get(id) ?? 1) - 1));
}

function buildAt({ builds }: View["index"], sequence: number): number | undefined {
  const number = builds.filter((build) => build.sequence <= sequence && build.result !== "failed").length;
  return number === 0 ? undefined : number;
}

export function describePass(view: View, plan: PlanFact): PlanPass {
  const { outside = [], calls = [], redacted } = plan;
  const reason =
    redacted === true
      ? "it read or wrote secrets, which the recording does not have"
      : outside.length > 0
        ? `it read outside of the cluster: ${outside.join(", ")}`
        : undefined;
  return {
    run: plan.run,
    controller: plan.controller,
    pass: plan.pass,
    time: plan.time,
    phase: plan.phase,
    object: plan.object,
    reads: plan.reads,
    calls: calls.map(({ call, error }) => ({ call, error: error?.message })),
    outside,
    steps: plan.steps.map((step) => describeStep(view, step)),
    error: plan.error,
    requeueAfter: plan.requeueAfter,
    replayable: reason === undefined,
    notReplayableReason: reason,
  };
}

export function describeStep({ index }: View, step: PlanFact["steps"][number]): PlanStep {
  const { kind, namespace, name, uid, resourceVersion } = step;
  const facts = step.request === undefined ? undefined : index.requests.get(step.request);
  const request = facts?.server ?? facts?.client;
  const object = { kind, namespace, name, uid, resourceVersion };
  return {
    step: step.step,
    verb: step.verb,
    object,
    path: index.names.pathOf(object),
    reason: step.reason,
    changes: compact(step.changes ?? []),
    body: step.body,
    request: step.request,
    code: request?.code,
    answer: request === undefined ? undefined : (request.message ?? request.reason),
    revision: step.request === undefined ? undefined : index.commitsOfRequest.get(step.request)?.at(-1),
  };
}

export function describeRequest({ index }: View, { id, client, server }: RequestFacts): RequestSummary {
  const fact = (server ?? client)!;
  const resource = server?.resource ?? client?.kind ?? "";
  const named = { kind: client?.kind ?? "", namespace: fact.namespace, name: fact.name ?? "", uid: client?.uid ?? server?.uid };
  const object =
    server?.resource !== undefined && server.name !== undefined
      ? requestPath(index.names, server.resource, server.namespace, server.name)
      : fact.name === undefined
        ? undefined
        : index.names.pathOf(named);
  return {
    id,
    sequence: fact.sequence,
    time: fact.time,
    duration: fact.duration,
    verb: fact.verb,
    resource,
    object,
    user: server?.user ?? client?.user,
    manager: server?.fieldManager ?? client?.fieldManager,
    code: fact.code,
    reason: fact.reason,
    message: server?.message ?? client?.message,
    fault: server?.fault ?? client?.fault,
    run: runIdOfAuditId(id),
    commits: [...new Set(index.commitsOfRequest.get(id) ?? [])],
    webhooks: (index.webhooksOfRequest.get(id) ?? []).map(({ webhook, allowed, code, duration }) => ({ webhook, allowed, code, duration })),
  };
}

export function describeLog({
  time,
  level,
  message,
  run,
  fields,
}: {
  readonly time: number;
  readonly level: string;
  readonly message: string;
  readonly run?: string | undefined;
  readonly fields?: unknown;
}): StoryText {
  const rest = fields === undefined ? "" : ` ${JSON.stringify(fields)}`;
  return {
    type: "log",
    time,
    level: level === "error" ? "error" : level === "warn" ? "warning" : "info",
    text: `${message}${rest === " {}" ? "" : rest}`,
    run,
  };
}
