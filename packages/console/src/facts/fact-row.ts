import type { DropFact, Fact, RunCause } from "pintle";
import type { KindNames } from "../objects/index.ts";
import { pathOfKey } from "../objects/index.ts";
import type { FactRow, ObjectPath } from "../protocol.ts";

/** What a row says that is not in its fact. */
export interface RowContext {
  readonly names: KindNames;
  /** The path of the object of a controller's key. */
  pathOfRun(controller: string, key: string): ObjectPath | undefined;
  /** Whether a run has sent writes that changed something. */
  hasEffect(run: string): boolean;
  readonly build: number;
}

type Fields = Pick<FactRow, "text" | "tone"> & Partial<FactRow>;

/** Creates the row of a fact; undefined for facts without one. */
export function createFactRow(fact: Fact, context: RowContext): FactRow | undefined {
  if (fact.type === "object") return undefined;
  const { sequence, time, type } = fact;
  return { sequence, time, type, build: context.build === 0 ? undefined : context.build, ...describe(fact, context) };
}

function describe(fact: Exclude<Fact, { readonly type: "object" }>, context: RowContext): Fields {
  switch (fact.type) {
    case "build":
      return {
        text: `${fact.entry} ${fact.result}, ${fact.duration} ms${fact.problems?.length ? `: ${fact.problems[0]}` : ""}`,
        tone: fact.result === "failed" ? "error" : "normal",
        duration: fact.duration,
      };
    case "request": {
      const object =
        fact.resource === undefined
          ? context.names.pathOf({ kind: fact.kind ?? "", namespace: fact.namespace, name: fact.name ?? "", uid: fact.uid })
          : requestPath(context.names, fact.resource, fact.namespace, fact.name);
      const what = fact.resource ?? fact.kind ?? "";
      const name = [fact.namespace, fact.name].filter(Boolean).join("/");
      return {
        text: `${fact.verb} ${what}${name === "" ? "" : ` ${name}`} -> ${fact.code}${fact.reason === undefined ? "" : ` ${fact.reason}`}`,
        tone:
          fact.code === 0 || fact.code >= 400
            ? fact.code === 404 || fact.code === 409
              ? "warning"
              : "error"
            : fact.side === "client" || /^(leases|events)$/.test(fact.resource ?? "")
              ? "noise"
              : "normal",
        object,
        request: fact.id,
        run: runOf(fact.id),
        code: fact.code,
        duration: fact.duration,
        revision: toRevision(fact.resourceVersion),
      };
    }
    case "commit": {
      const object = pathOfKey(fact.key);
      return {
        text: `${fact.operation === "delete" ? "deleted" : "wrote"} ${fact.key.replace(/^\/registry\//, "")}`,
        // Heartbeats, and what events tell is told by the facts themselves.
        tone: /^\/registry\/(?:[^/]+\.k8s\.io\/)?(leases|events)\//.test(fact.key) ? "noise" : "normal",
        object,
        revision: fact.revision,
        request: fact.request,
        run: fact.run ?? (fact.request === undefined ? undefined : runOf(fact.request)),
      };
    }
    case "enqueue":
      return {
        text: `${fact.controller} enqueues ${fact.key}: ${describeCause(fact.cause)}${fact.merged ? " (merged)" : ""}`,
        tone: "noise",
        controller: fact.controller,
        object: context.pathOfRun(fact.controller, fact.key),
        revision: toRevision(fact.cause.object?.resourceVersion),
      };
    case "drop":
      return {
        text: `${fact.controller}: ${describeDrop(fact)}`,
        tone:
          fact.reason === "own write" || fact.reason === "duplicate" || fact.reason === "predicate" || fact.reason === "mapped to no key"
            ? "noise"
            : "warning",
        controller: fact.controller,
        object:
          fact.key === undefined
            ? fact.cause?.object === undefined
              ? undefined
              : context.names.pathOf(fact.cause.object)
            : context.pathOfRun(fact.controller, fact.key),
        revision: toRevision(fact.cause?.object?.resourceVersion),
      };
    case "run":
      return {
        text: `${fact.controller} ${fact.key}: ${fact.error ?? fact.result}, ${Math.round(fact.duration)} ms${fact.causes.length === 0 ? "" : `, ${describeCause(fact.causes[0]!)}${fact.causes.length > 1 ? ` and ${fact.causes.length - 1} more` : ""}`}`,
        tone: fact.error !== undefined ? "error" : context.hasEffect(fact.id) ? "normal" : "noise",
        controller: fact.controller,
        run: fact.id,
        object: context.pathOfRun(fact.controller, fact.key),
        duration: fact.duration,
      };
    case "plan":
      return {
        text: `${fact.controller}: ${fact.error ?? (fact.steps.map(({ step, kind, name }) => `${step} ${kind} ${name}`).join(", ") || "nothing to do")}`,
        tone: fact.error !== undefined ? "error" : fact.steps.some(({ verb }) => verb !== undefined) ? "normal" : "noise",
        controller: fact.controller,
        run: fact.run,
        object: context.names.pathOf(fact.object),
        revision: toRevision(fact.object.resourceVersion),
      };
    case "log":
      return {
        text: fact.message,
        tone: fact.level === "error" ? "error" : fact.level === "warn" ? "warning" : fact.level === "debug" ? "noise" : "normal",
        run: fact.run,
      };
    case "webhook":
      return {
        text: `${fact.webhook} ${fact.operation}: ${fact.code === 0 ? "not reachable" : fact.allowed ? "allowed" : `denied ${fact.code}`}`,
        tone: fact.code === 0 ? "error" : fact.allowed ? "normal" : "warning",
        request: fact.request,
        duration: fact.duration,
        code: fact.code,
      };
    case "fault":
      return { text: `fault ${fact.fault} strikes ${fact.subject}`, tone: "warning", request: fact.request };
    case "watch":
      return {
        text: `watch of ${fact.kind}${fact.namespace === undefined ? "" : ` in ${fact.namespace}`} ${fact.event}${fact.objects === undefined ? "" : `, ${fact.objects} objects`}${fact.message === undefined ? "" : `: ${fact.message}`}`,
        tone: fact.event === "failed" ? "error" : "normal",
      };
  }
}

const toRevision = (version: string | undefined) => (version === undefined || !/^\d{1,15}$/.test(version) ? undefined : Number(version));
const runOf = (auditId: string) => /^([0-9a-f]{8}-\d+)\.\d+$/.exec(auditId)?.[1];

/** The path of an object that a request names by resource. */
export function requestPath(
  names: KindNames,
  resource: string,
  namespace: string | undefined,
  name: string | undefined,
): ObjectPath | undefined {
  if (name === undefined) return undefined;
  const plural = resource.split("/")[0]!;
  const group = names.groupOf(plural);
  return pathOfKey(`/registry/${group === undefined ? "" : `${group}/`}${plural}/${namespace === undefined ? "" : `${namespace}/`}${name}`);
}

/** "Deployment default/web modified at r12" */
export function describeCause({ event, source, object, first }: RunCause): string {
  if (object === undefined) return source === undefined ? event : `${event} of ${source}`;
  const name = object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`;
  const version = object.resourceVersion === undefined ? "" : ` at r${first === undefined ? "" : `${first} to r`}${object.resourceVersion}`;
  return `${object.kind} ${name} ${event}${version}`;
}

/** Why an event led to no run, as a sentence. */
export function describeDrop({ reason, cause, until, time }: Pick<DropFact, "reason" | "cause" | "until" | "time">): string {
  const what = cause === undefined ? "an event" : describeCause(cause);
  switch (reason) {
    case "predicate":
      return `${what}: "when" returned false, so it did not enqueue anything`;
    case "mapped to no key":
      return `${what}: it concerns no object of the controller (no owner, no matching label or index)`;
    case "own write":
      return `${what}: the controller's own write caused it`;
    case "paused":
      return `${what}: the object is paused by its annotation`;
    case "other namespace":
      return `${what}: the controller does not watch this namespace`;
    case "not leading":
      return `${what}: this process does not lead`;
    case "backing off":
      return `${what}: the key has failed and is tried again${until === undefined ? " later" : ` in ${Math.max(0, Math.round((until - time) / 100) / 10)} s`}`;
    case "duplicate":
      return `${what}: the same version is already a cause of the next run`;
  }
}
