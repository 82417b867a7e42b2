import type { RunFact } from "pintle";
import { describeDrop } from "../facts/index.ts";
import type { DropList, RunDetail, RunList } from "../protocol.ts";
import { notFound } from "../source/index.ts";
import { listChanges, nameWriter } from "./describe-commit.ts";
import { describeLog, describePass, describeRequest, describeRun } from "./describe-run.ts";
import { lastSequence, limitOf, numberOf, type RouteContext } from "./route-context.ts";
import { findExcerpt } from "./source-excerpt.ts";

/** Runs of the operator's controllers; with `controller`, of any. */
export function getRuns(context: RouteContext): RunList {
  const { view, query, at } = context;
  const { index } = view;
  const [controller, key, result] = ["controller", "key", "result"].map((name) => query.get(name) || undefined);
  const withEffect = query.get("effect") === "true";
  const limit = limitOf(query, 200);
  const before = Math.min(numberOf(query, "before") ?? Number.POSITIVE_INFINITY, lastSequence(context) + 1);
  const runs: RunFact[] = [];
  let folded = 0;
  const isWanted = (run: RunFact) =>
    (controller === undefined ? index.ownControllers.has(run.controller) : run.controller === controller) &&
    (key === undefined || run.key === key) &&
    (result === undefined || run.result === result);
  const running =
    at === undefined && !query.has("before") ? [...index.runs.values()].filter((run) => run.result === "running" && isWanted(run)) : [];
  for (let i = index.facts.length - 1; i >= 0 && runs.length <= limit; i--) {
    const fact = index.facts[i]!;
    if (fact.type !== "run" || fact.sequence >= before || !isWanted(fact)) continue;
    if (withEffect && fact.error === undefined && !index.commitsOfRun.has(fact.id)) folded++;
    else runs.push(fact);
  }
  return { runs: [...running, ...runs.slice(0, limit)].map((run) => describeRun(view, run)), more: runs.length > limit, folded };
}

export function getRun(context: RouteContext): RunDetail {
  const { view, params } = context;
  const { index } = view;
  const run = index.runs.get(params["id"] ?? "");
  if (run === undefined) throw notFound(`The run ${params["id"]} is not recorded, or not any more.`);
  const events = new Map((view.state(undefined)?.history ?? []).map((event) => [event.revision, event]));
  return {
    run: describeRun(view, run),
    frames: run.frames ?? [],
    excerpt: findExcerpt(view.source, run.frames ?? []),
    passes: (index.plans.get(run.id) ?? []).map((plan) => describePass(view, plan)),
    requests: (index.requestsOfRun.get(run.id) ?? []).flatMap((id) => {
      const request = index.requests.get(id);
      return request === undefined ? [] : [describeRequest(view, request)];
    }),
    logs: (index.logsOfRun.get(run.id) ?? []).map(describeLog),
    wokenBy: run.causes.map((cause) => {
      const commits = index.commitsOfCause(cause);
      const last = commits.at(-1);
      return {
        cause,
        path: cause.object === undefined ? undefined : index.names.pathOf(cause.object),
        changes: commits.flatMap(({ revision }) => {
          const event = events.get(revision);
          return event === undefined ? [] : listChanges(view, event);
        }),
        by: last === undefined ? undefined : nameWriter(view, last.revision, events.get(last.revision)?.value),
      };
    }),
    trace: run.trace,
  };
}

/** Why not: events that led to no run. */
export function getDrops(context: RouteContext): DropList {
  const { view, query } = context;
  const { index } = view;
  const [object, controller, reason] = ["object", "controller", "reason"].map((name) => query.get(name) || undefined);
  const limit = limitOf(query, 200);
  const before = Math.min(numberOf(query, "before") ?? Number.POSITIVE_INFINITY, lastSequence(context) + 1);
  const drops: DropList["drops"][number][] = [];
  for (let i = index.drops.length - 1; i >= 0 && drops.length <= limit; i--) {
    const fact = index.drops[i]!;
    if (
      fact.sequence >= before ||
      (controller !== undefined && fact.controller !== controller) ||
      (reason !== undefined && fact.reason !== reason)
    )
      continue;
    const causing = fact.cause?.object === undefined ? undefined : index.names.pathOf(fact.cause.object);
    const target = fact.key === undefined ? causing : index.pathOfRun(fact.controller, fact.key);
    if (object !== undefined && object !== causing && object !== target) continue;
    drops.push({
      type: "drop",
      sequence: fact.sequence,
      time: fact.time,
      controller: fact.controller,
      reason: fact.reason,
      text: describeDrop(fact),
      cause: fact.cause,
      count: 1,
      key: fact.key,
      object: target,
    });
  }
  return { drops: drops.slice(0, limit), more: drops.length > limit };
}
