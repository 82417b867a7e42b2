import type { ContainerStatus, Pod } from "pintle/kinds/core/v1";
import type { TablePrinter } from "../../api/index.ts";
import type { Loose } from "../draft.ts";
import { AGE, NAME, printer, since, text, wide } from "./printer.ts";

/** What one line about a pod says. */
interface Summary {
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
  /** When a container ended and was started again. */
  readonly restarted: string;
}

const condition = (pod: Loose<Pod>, type: string) => pod.status?.conditions?.find((each) => each.type === type);

export const podTable: TablePrinter = {
  ...printer<Pod>(
    NAME,
    text("Ready", (pod) => summary(pod).ready),
    text("Status", (pod) => summary(pod).status),
    text("Restarts", (pod, now) => {
      const { restarts, restarted } = summary(pod);
      return restarts > 0 && restarted !== "" ? `${restarts} (${since(restarted, now)} ago)` : String(restarts);
    }),
    AGE,
    wide(text("IP", ({ status }) => status?.podIPs?.[0]?.ip || "<none>")),
    wide(text("Node", ({ spec }) => spec?.nodeName || "<none>")),
    wide(text("Nominated Node", ({ status }) => status?.nominatedNodeName || "<none>")),
    wide(text("Readiness Gates", (pod) => readinessGates(pod))),
  ),
  conditions(object) {
    const { status } = object as Loose<Pod>;
    const message = { Succeeded: "The pod has completed successfully.", Failed: "The pod failed." }[status?.phase ?? ""];
    return message === undefined ? [] : [{ type: "Completed", status: "True", reason: status!.phase!, message }];
  },
};

function readinessGates(pod: Loose<Pod>): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const open = gates.filter(({ conditionType }) => condition(pod, conditionType ?? "")?.status === "True");
  return `${open.length}/${gates.length}`;
}

const summaries = new WeakMap<object, Summary>();

function summary(pod: Loose<Pod>): Summary {
  const known = summaries.get(pod);
  if (known !== undefined) return known;
  const made = summarize(pod);
  summaries.set(pod, made);
  return made;
}

type Statuses = readonly Loose<ContainerStatus>[];
const restartsOf = (statuses: Statuses) => statuses.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0);
const restartedOf = (statuses: Statuses) =>
  statuses
    .map(({ lastState }) => lastState?.terminated?.finishedAt ?? "")
    .sort()
    .at(-1) ?? "";

function summarize(pod: Loose<Pod>): Summary {
  const { spec, status } = pod;
  const init = spec?.initContainers ?? [];
  const sidecars = new Set(init.filter(({ restartPolicy }) => restartPolicy === "Always").map((each) => each.name));
  const total = (spec?.containers?.length ?? 0) + sidecars.size;
  const started = status?.initContainerStatuses ?? [];
  const isUp = (each: Loose<ContainerStatus>) => sidecars.has(each.name) && each.started === true;

  let reason = status?.reason || status?.phase || "";
  if (condition(pod, "PodScheduled")?.reason === "SchedulingGated") reason = "SchedulingGated";
  const blocking = started.findIndex((each) => each.state?.terminated?.exitCode !== 0 && !isUp(each));
  const passed = blocking < 0 ? started : started.slice(0, blocking);
  let ready = passed.filter((each) => each.state?.terminated?.exitCode !== 0 && each.ready).length;
  let counted: Statuses = started.slice(0, blocking + 1);
  if (blocking >= 0) reason = initReason(started[blocking]!, blocking, init.length);

  if (blocking < 0 || condition(pod, "Initialized")?.status === "True") {
    const containers = status?.containerStatuses ?? [];
    const seen = blocking < 0 ? started : started.slice(0, blocking + 1);
    counted = [...seen.filter((each) => sidecars.has(each.name)), ...containers];
    ready += containers.filter(isRunning).length;
    reason = containersReason(pod, containers, reason);
  }
  return { ready: `${ready}/${total}`, status: deletedReason(pod, reason), restarts: restartsOf(counted), restarted: restartedOf(counted) };
}

function isRunning({ state, ready }: Loose<ContainerStatus>): boolean {
  return !state?.waiting?.reason && !state?.terminated && ready === true && !!state?.running;
}

function initReason({ state }: Loose<ContainerStatus>, index: number, total: number): string {
  const { terminated, waiting } = state ?? {};
  if (terminated) return `Init:${endReason(terminated)}`;
  if (waiting?.reason && waiting.reason !== "PodInitializing") return `Init:${waiting.reason}`;
  return `Init:${index}/${total}`;
}

function endReason({ reason, signal, exitCode }: NonNullable<NonNullable<Loose<ContainerStatus>["state"]>["terminated"]>): string {
  return reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`);
}

/** The first container has the last word; what a failed one says beats "Completed". */
function containersReason(pod: Loose<Pod>, containers: Statuses, before: string): string {
  let reason = before;
  let failure = "";
  for (const { state } of [...containers].reverse()) {
    if (state?.waiting?.reason) reason = state.waiting.reason;
    else if (state?.terminated) {
      reason = endReason(state.terminated);
      if (state.terminated.exitCode !== 0) failure = reason;
    }
  }
  if (reason !== "Completed") return reason;
  const running = containers.some(isRunning);
  if (running && condition(pod, "Ready")?.status === "True") return "Running";
  return failure || (running ? "NotReady" : reason);
}

function deletedReason({ metadata, status }: Loose<Pod>, reason: string): string {
  if (!metadata?.deletionTimestamp) return reason;
  if (status?.reason === "NodeLost") return "Unknown";
  return status?.phase === "Succeeded" || status?.phase === "Failed" ? reason : "Terminating";
}
