import type { Pod } from "pintle/kinds/core/v1";
import type { Cluster, JournalEntry } from "../index.ts";

const PODS = "/registry/pods/";
const EVENTS = "/registry/events/";
const MOST = 20;
const CONTROL_PLANE = "system:kube-controller-manager";
/** What the control plane looks at, finds there already, and says about it, is not what a test is about. */
const isTelling = ({ user, verb, resource, code, reason }: JournalEntry) =>
  user !== CONTROL_PLANE ||
  (code >= 400 ? reason !== "AlreadyExists" : !(/^(get|list|watch)$/.test(verb) || resource === "events" || resource === "leases"));

interface Said {
  readonly type?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly note?: string | undefined;
  readonly involvedObject?: { readonly kind?: string | undefined; readonly name?: string | undefined } | undefined;
  readonly regarding?: Said["involvedObject"];
}

/** What a cluster saw, for people: the last requests, warnings, and pods that are not ready. Also after its end. */
export function sawText(cluster: Pick<Cluster, "journal" | "snapshot">, requests = 30): string {
  const { entries, keys } = cluster.snapshot().objects;
  const valuesOf = <T>(prefix: string) =>
    keys.filter((key) => key.startsWith(prefix)).map((key) => entries.get(key)!.value as unknown as T);
  const { journal } = cluster;
  const warnings = [...new Set(journal.entries.flatMap(({ user, warnings }) => (user === CONTROL_PLANE ? [] : warnings)))];
  return [
    ...section("the last requests", journal.text(requests, isTelling).split("\n").filter(Boolean)),
    ...section("warnings of the API server", warnings.slice(-MOST)),
    stateText(valuesOf<Pod>(PODS), valuesOf<Said>(EVENTS)),
  ].join("\n");
}

/** What is wrong with what is there now. */
export function stateText(pods: readonly Pod[], events: readonly Said[]): string {
  const warnings = events.filter(({ type }) => type === "Warning").map(said);
  return [
    ...section("warning events", warnings.slice(-MOST)),
    ...section("pods that are not ready", pods.flatMap(unready).slice(-MOST)),
  ].join("\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

function said({ involvedObject, regarding, reason, message, note }: Said): string {
  const { kind, name } = involvedObject ?? regarding ?? {};
  return `${kind} ${name}: ${reason}: ${message ?? note}`;
}

function unready({ metadata, status }: Pod): readonly string[] {
  const { phase = "Pending", conditions = [], containerStatuses = [] } = status ?? {};
  if (phase === "Succeeded" || conditions.some(({ type, status }) => type === "Ready" && status === "True")) return [];
  const waiting = containerStatuses.flatMap(({ state }) => state?.waiting?.reason ?? state?.terminated?.reason ?? []);
  const why = waiting.length > 0 ? waiting : conditions.flatMap(({ status, reason }) => (status === "False" && reason ? [reason] : []));
  return [`${metadata.namespace}/${metadata.name}: ${[phase, ...new Set(why)].join(", ")}`];
}
