import { memoize } from "pintle/internal/memoize";
import type { ContainerStatus, Pod } from "pintle/kinds/core/v1";
import type { TablePrinter } from "../../api/index.ts";
import type { Unvalidated } from "../draft.ts";
import { AGE_COLUMN, createTablePrinter, formatTimeSince, NAME_COLUMN, stringColumn, wideColumn } from "./table-printer.ts";

/** The computed cells of a pod row. */
interface PodSummary {
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
  /** When a container last terminated before a restart. */
  readonly lastRestart: string;
}

const findCondition = (pod: Unvalidated<Pod>, type: string) => pod.status?.conditions?.find((each) => each.type === type);

export const podPrinter: TablePrinter = {
  ...createTablePrinter<Pod>(
    NAME_COLUMN,
    stringColumn("Ready", (pod) => getSummary(pod).ready),
    stringColumn("Status", (pod) => getSummary(pod).status),
    stringColumn("Restarts", (pod, now) => {
      const { restarts, lastRestart } = getSummary(pod);
      return restarts > 0 && lastRestart !== "" ? `${restarts} (${formatTimeSince(lastRestart, now)} ago)` : String(restarts);
    }),
    AGE_COLUMN,
    wideColumn(stringColumn("IP", ({ status }) => status?.podIPs?.[0]?.ip || "<none>")),
    wideColumn(stringColumn("Node", ({ spec }) => spec?.nodeName || "<none>")),
    wideColumn(stringColumn("Nominated Node", ({ status }) => status?.nominatedNodeName || "<none>")),
    wideColumn(stringColumn("Readiness Gates", (pod) => formatReadinessGates(pod))),
  ),
  rowConditions(object) {
    const { status } = object as Unvalidated<Pod>;
    const message = { Succeeded: "The pod has completed successfully.", Failed: "The pod failed." }[status?.phase ?? ""];
    return message === undefined ? [] : [{ type: "Completed", status: "True", reason: status!.phase!, message }];
  },
};

function formatReadinessGates(pod: Unvalidated<Pod>): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const open = gates.filter(({ conditionType }) => findCondition(pod, conditionType ?? "")?.status === "True");
  return `${open.length}/${gates.length}`;
}

/** Computed once for all columns. */
const getSummary = memoize(summarize);

type ContainerStatuses = readonly Unvalidated<ContainerStatus>[];
const sumRestarts = (statuses: ContainerStatuses) => statuses.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0);
const getLastRestart = (statuses: ContainerStatuses) =>
  statuses
    .map(({ lastState }) => lastState?.terminated?.finishedAt ?? "")
    .sort()
    .at(-1) ?? "";

function summarize(pod: Unvalidated<Pod>): PodSummary {
  const { spec, status } = pod;
  const init = spec?.initContainers ?? [];
  const sidecars = new Set(init.filter(({ restartPolicy }) => restartPolicy === "Always").map((each) => each.name));
  const total = (spec?.containers?.length ?? 0) + sidecars.size;
  const started = status?.initContainerStatuses ?? [];
  const isUp = (each: Unvalidated<ContainerStatus>) => sidecars.has(each.name) && each.started === true;

  let reason = status?.reason || status?.phase || "";
  if (findCondition(pod, "PodScheduled")?.reason === "SchedulingGated") reason = "SchedulingGated";
  const blocking = started.findIndex((each) => each.state?.terminated?.exitCode !== 0 && !isUp(each));
  const passed = blocking < 0 ? started : started.slice(0, blocking);
  let ready = passed.filter((each) => each.state?.terminated?.exitCode !== 0 && each.ready).length;
  let counted: ContainerStatuses = started.slice(0, blocking + 1);
  if (blocking >= 0) reason = getInitReason(started[blocking]!, blocking, init.length);

  if (blocking < 0 || findCondition(pod, "Initialized")?.status === "True") {
    const containers = status?.containerStatuses ?? [];
    const seen = blocking < 0 ? started : started.slice(0, blocking + 1);
    counted = [...seen.filter((each) => sidecars.has(each.name)), ...containers];
    ready += containers.filter(isRunning).length;
    reason = getContainersReason(pod, containers, reason);
  }
  return {
    ready: `${ready}/${total}`,
    status: getDeletionReason(pod, reason),
    restarts: sumRestarts(counted),
    lastRestart: getLastRestart(counted),
  };
}

function isRunning({ state, ready }: Unvalidated<ContainerStatus>): boolean {
  return !state?.waiting?.reason && !state?.terminated && ready === true && !!state?.running;
}

function getInitReason({ state }: Unvalidated<ContainerStatus>, index: number, total: number): string {
  const { terminated, waiting } = state ?? {};
  if (terminated) return `Init:${getTerminationReason(terminated)}`;
  if (waiting?.reason && waiting.reason !== "PodInitializing") return `Init:${waiting.reason}`;
  return `Init:${index}/${total}`;
}

function getTerminationReason({
  reason,
  signal,
  exitCode,
}: NonNullable<NonNullable<Unvalidated<ContainerStatus>["state"]>["terminated"]>): string {
  return reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`);
}

/** Returns the reason of the first container; the reason of a failed one takes precedence over "Completed". */
function getContainersReason(pod: Unvalidated<Pod>, containers: ContainerStatuses, before: string): string {
  let reason = before;
  let failure = "";
  for (const { state } of [...containers].reverse()) {
    if (state?.waiting?.reason) reason = state.waiting.reason;
    else if (state?.terminated) {
      reason = getTerminationReason(state.terminated);
      if (state.terminated.exitCode !== 0) failure = reason;
    }
  }
  if (reason !== "Completed") return reason;
  const running = containers.some(isRunning);
  if (running && findCondition(pod, "Ready")?.status === "True") return "Running";
  return failure || (running ? "NotReady" : reason);
}

function getDeletionReason({ metadata, status }: Unvalidated<Pod>, reason: string): string {
  if (!metadata?.deletionTimestamp) return reason;
  if (status?.reason === "NodeLost") return "Unknown";
  return status?.phase === "Succeeded" || status?.phase === "Failed" ? reason : "Terminating";
}
