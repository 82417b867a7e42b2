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
export function formatClusterReport(cluster: Pick<Cluster, "journal" | "snapshot">, requests = 30): string {
  const { entries, keys } = cluster.snapshot().objects;
  const valuesOf = <T>(prefix: string) =>
    keys.filter((key) => key.startsWith(prefix)).map((key) => entries.get(key)!.value as unknown as T);
  const { journal } = cluster;
  const warnings = [...new Set(journal.entries.flatMap(({ user, warnings }) => (user === CONTROL_PLANE ? [] : warnings)))];
  return [
    ...formatSection("the last requests", journal.text(requests, isReported).split("\n").filter(Boolean)),
    ...formatSection("warnings of the API server", warnings.slice(-MAX_LINES)),
    formatObjectState(valuesOf<Pod>(PODS), valuesOf<EventSummary>(EVENTS)),
  ].join("\n");
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
