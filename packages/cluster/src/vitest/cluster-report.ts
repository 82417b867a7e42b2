import { createCausalIndex, explainCommit, type FlightRecorder, formatExplanation, runIdOfAuditId } from "pintle/internal/recorder";
import type { Pod } from "pintle/kinds/core/v1";
import type { AuditLogEntry, Cluster } from "../index.ts";

const PODS = "/registry/pods/";
const EVENTS = "/registry/events/";
const MAX_LINES = 20;
const CONTROL_PLANE = "system:kube-controller-manager";
/** Omits reads, events and leases of the control plane, and its AlreadyExists responses. */
const isReported = ({ user, verb, resource, code, reason }: AuditLogEntry) =>
  user !== CONTROL_PLANE ||
  (code >= 400 ? reason !== "AlreadyExists" : !(/^(get|list|watch)$/.test(verb) || resource === "events" || resource === "leases"));

interface EventSummary {
  readonly type?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly note?: string | undefined;
  readonly involvedObject?: { readonly kind?: string | undefined; readonly name?: string | undefined } | undefined;
  readonly regarding?: EventSummary["involvedObject"];
}

/**
 * Formats a report of a cluster for a failed test: the last requests, warnings, and pods that are not ready. Works after `stop()` too.
 *
 * @example
 * ```ts
 * import { startCluster } from "@pintle/cluster";
 * import { formatClusterReport } from "@pintle/cluster/vitest";
 *
 * const cluster = await startCluster();
 * console.log(formatClusterReport(cluster));
 * await cluster.stop();
 * ```
 */
export function formatClusterReport(cluster: Pick<Cluster, "journal" | "snapshot" | "recorder">, requests = 30): string {
  const { entries, keys } = cluster.snapshot().objects;
  const valuesOf = <T>(prefix: string) =>
    keys.filter((key) => key.startsWith(prefix)).map((key) => entries.get(key)!.value as unknown as T);
  const { journal } = cluster;
  const warnings = [...new Set(journal.entries.flatMap(({ user, warnings }) => (user === CONTROL_PLANE ? [] : warnings)))];
  return [
    ...formatSection("the last requests", journal.text(requests, isReported).split("\n").filter(Boolean)),
    ...formatSection("warnings of the API server", warnings.slice(-MAX_LINES)),
    formatObjectState(valuesOf<Pod>(PODS), valuesOf<EventSummary>(EVENTS)),
    ...formatSection("why the objects of the operator changed last", formatLastCauses(cluster.recorder)),
    ...formatSection("events that led to no run", formatDrops(cluster.recorder)),
  ].join("\n");
}

/** How many objects are explained, and with how many lines each. */
const MAX_EXPLAINED = 3;
const MAX_CAUSE_LINES = 10;

/** Explains the last commits of the operator, one per key. */
function formatLastCauses(recorder: FlightRecorder | undefined): readonly string[] {
  if (recorder === undefined) return [];
  const facts = recorder.facts();
  const index = createCausalIndex(facts);
  // Only controllers of the operator record enqueues.
  const controllers = new Set(facts.flatMap((fact) => (fact.type === "enqueue" ? [fact.controller] : [])));
  const last = new Map<string, number>();
  for (const { revision, request = "" } of index.commits.values()) {
    const run = index.runs.get(runIdOfAuditId(request) ?? "");
    if (run !== undefined && controllers.has(run.controller)) last.set(run.key, Math.max(revision, last.get(run.key) ?? 0));
  }
  const newest = [...last.values()].sort((a, b) => b - a).slice(0, MAX_EXPLAINED);
  return newest.flatMap((revision) => {
    const explanation = explainCommit(index, revision);
    return explanation === undefined ? [] : formatExplanation(explanation).split("\n").slice(0, MAX_CAUSE_LINES);
  });
}

/** Formats the dropped events of the operator, except its own writes, counted by reason and object. */
function formatDrops(recorder: FlightRecorder | undefined): readonly string[] {
  const counts = new Map<string, number>();
  for (const fact of recorder?.facts() ?? []) {
    if (fact.type !== "drop" || fact.reason === "own write" || fact.reason === "mapped to no key") continue;
    const object = fact.cause?.object;
    const what = object === undefined ? fact.key : `${object.kind} ${[object.namespace, object.name].filter(Boolean).join("/")}`;
    const line = `${fact.controller}: ${what} ${fact.cause?.event ?? ""}: ${fact.reason}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return [...counts].map(([line, count]) => (count === 1 ? line : `${line} (${count} times)`)).slice(-MAX_LINES);
}

/** Formats warning events and pods that are not ready. */
export function formatObjectState(pods: readonly Pod[], events: readonly EventSummary[]): string {
  const warnings = events.filter(({ type }) => type === "Warning").map(formatEvent);
  return [
    ...formatSection("warning events", warnings.slice(-MAX_LINES)),
    ...formatSection("pods that are not ready", pods.flatMap(formatUnreadyPod).slice(-MAX_LINES)),
  ].join("\n");
}

function formatSection(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

function formatEvent({ involvedObject, regarding, reason, message, note }: EventSummary): string {
  const { kind, name } = involvedObject ?? regarding ?? {};
  return `${kind} ${name}: ${reason}: ${message ?? note}`;
}

function formatUnreadyPod({ metadata, status }: Pod): readonly string[] {
  const { phase = "Pending", conditions = [], containerStatuses = [] } = status ?? {};
  if (phase === "Succeeded" || conditions.some(({ type, status }) => type === "Ready" && status === "True")) return [];
  const waiting = containerStatuses.flatMap(({ state }) => state?.waiting?.reason ?? state?.terminated?.reason ?? []);
  const why = waiting.length > 0 ? waiting : conditions.flatMap(({ status, reason }) => (status === "False" && reason ? [reason] : []));
  return [`${metadata.namespace}/${metadata.name}: ${[phase, ...new Set(why)].join(", ")}`];
}
