import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from "pintle/kinds/apps/v1";
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from "pintle/kinds/autoscaling/v1";
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from "pintle/kinds/autoscaling/v2";
import type { CronJob, Job } from "pintle/kinds/batch/v1";
import type { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { formatHumanDuration } from "../../api/index.ts";
import type { Unvalidated } from "../draft.ts";
import {
  AGE_COLUMN,
  booleanColumn,
  createContainerColumns,
  createTablePrinter,
  formatFirst,
  formatLabels,
  formatSelector,
  formatSelectorOrNone,
  formatTimeSince,
  integerColumn,
  NAME_COLUMN,
  stringColumn,
  wideColumn,
} from "./table-printer.ts";

export const deploymentPrinter = createTablePrinter<Deployment>(
  NAME_COLUMN,
  stringColumn("Ready", ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`),
  stringColumn("Up-to-date", ({ status }) => status?.updatedReplicas ?? 0),
  stringColumn("Available", ({ status }) => status?.availableReplicas ?? 0),
  AGE_COLUMN,
  ...createContainerColumns<Deployment>(({ spec }) => spec?.template?.spec?.containers).map(wideColumn),
  wideColumn(stringColumn("Selector", ({ spec }) => formatSelector(spec?.selector))),
);

export const replicaSetPrinter = createTablePrinter<ReplicaSet>(
  NAME_COLUMN,
  integerColumn("Desired", ({ spec }) => spec?.replicas ?? 0),
  integerColumn("Current", ({ status }) => status?.replicas ?? 0),
  integerColumn("Ready", ({ status }) => status?.readyReplicas ?? 0),
  AGE_COLUMN,
  ...createContainerColumns<ReplicaSet>(({ spec }) => spec?.template?.spec?.containers).map(wideColumn),
  wideColumn(stringColumn("Selector", ({ spec }) => formatSelectorOrNone(spec?.selector))),
);

export const statefulSetPrinter = createTablePrinter<StatefulSet>(
  NAME_COLUMN,
  stringColumn("Ready", ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`),
  AGE_COLUMN,
  ...createContainerColumns<StatefulSet>(({ spec }) => spec?.template?.spec?.containers).map(wideColumn),
);

export const daemonSetPrinter = createTablePrinter<DaemonSet>(
  NAME_COLUMN,
  integerColumn("Desired", ({ status }) => status?.desiredNumberScheduled ?? 0),
  integerColumn("Current", ({ status }) => status?.currentNumberScheduled ?? 0),
  integerColumn("Ready", ({ status }) => status?.numberReady ?? 0),
  integerColumn("Up-to-date", ({ status }) => status?.updatedNumberScheduled ?? 0),
  integerColumn("Available", ({ status }) => status?.numberAvailable ?? 0),
  stringColumn("Node Selector", ({ spec }) => formatLabels(spec?.template?.spec?.nodeSelector)),
  AGE_COLUMN,
  ...createContainerColumns<DaemonSet>(({ spec }) => spec?.template?.spec?.containers).map(wideColumn),
  wideColumn(stringColumn("Selector", ({ spec }) => formatSelectorOrNone(spec?.selector))),
);

export const controllerRevisionPrinter = createTablePrinter<ControllerRevision>(
  NAME_COLUMN,
  stringColumn("Controller", ({ metadata }) => {
    const owner = metadata?.ownerReferences?.find(({ controller }) => controller);
    if (owner === undefined) return "<none>";
    const [, group] = (owner.apiVersion ?? "").split("/").reverse();
    return `${(group === undefined ? owner.kind! : `${owner.kind}.${group}`).toLowerCase()}/${owner.name}`;
  }),
  stringColumn("Revision", ({ revision }) => revision),
  AGE_COLUMN,
);

/** Job states in order of precedence. */
const JOB_STATES: readonly (readonly [condition: string, status: string])[] = [
  ["Complete", "Complete"],
  ["Failed", "Failed"],
  ["", "Terminating"],
  ["Suspended", "Suspended"],
  ["FailureTarget", "FailureTarget"],
  ["SuccessCriteriaMet", "SuccessCriteriaMet"],
];

export const jobPrinter = createTablePrinter<Job>(
  NAME_COLUMN,
  stringColumn("Status", ({ metadata, status }) => {
    const holds = (type: string) => status?.conditions?.some((each) => each.type === type && each.status === "True") ?? false;
    const found = JOB_STATES.find(([type]) => (type === "" ? !!metadata?.deletionTimestamp : holds(type)));
    return found?.[1] ?? "Running";
  }),
  stringColumn("Completions", ({ spec, status }) => {
    const done = status?.succeeded ?? 0;
    if (spec?.completions != null) return `${done}/${spec.completions}`;
    return (spec?.parallelism ?? 0) > 1 ? `${done}/1 of ${spec!.parallelism}` : `${done}/1`;
  }),
  stringColumn("Duration", ({ status }, now) => {
    if (!status?.startTime) return "";
    const end = status.completionTime ? Date.parse(status.completionTime) : now;
    return formatHumanDuration(end - Date.parse(status.startTime));
  }),
  AGE_COLUMN,
  ...createContainerColumns<Job>(({ spec }) => spec?.template?.spec?.containers).map(wideColumn),
  wideColumn(stringColumn("Selector", ({ spec }) => formatSelectorOrNone(spec?.selector))),
);

export const cronJobPrinter = createTablePrinter<CronJob>(
  NAME_COLUMN,
  stringColumn("Schedule", ({ spec }) => spec?.schedule),
  stringColumn("Timezone", ({ spec }) => spec?.timeZone ?? "<none>"),
  booleanColumn("Suspend", ({ spec }) => (spec?.suspend == null ? "<unset>" : spec.suspend ? "True" : "False")),
  integerColumn("Active", ({ status }) => status?.active?.length ?? 0),
  stringColumn("Last Schedule", ({ status }, now) => (status?.lastScheduleTime ? formatTimeSince(status.lastScheduleTime, now) : "<none>")),
  AGE_COLUMN,
  ...createContainerColumns<CronJob>(({ spec }) => spec?.jobTemplate?.spec?.template?.spec?.containers).map(wideColumn),
  wideColumn(stringColumn("Selector", ({ spec }) => formatSelectorOrNone(spec?.jobTemplate?.spec?.selector))),
);

export const podDisruptionBudgetPrinter = createTablePrinter<PodDisruptionBudget>(
  NAME_COLUMN,
  stringColumn("Min Available", ({ spec }) => String(spec?.minAvailable ?? "N/A")),
  stringColumn("Max Unavailable", ({ spec }) => String(spec?.maxUnavailable ?? "N/A")),
  integerColumn("Allowed Disruptions", ({ status }) => status?.disruptionsAllowed ?? 0),
  AGE_COLUMN,
);

export const horizontalPodAutoscalerPrinter = createTablePrinter<HorizontalPodAutoscaler>(
  NAME_COLUMN,
  stringColumn("Reference", ({ spec }) => `${spec?.scaleTargetRef?.kind}/${spec?.scaleTargetRef?.name}`),
  stringColumn("Targets", ({ spec, status }) => {
    const metrics = (spec?.metrics ?? []).map((each, index) => formatMetric(each, status?.currentMetrics?.[index]));
    return metrics.length === 0 ? "<none>" : formatFirst(metrics, 2, ", ");
  }),
  stringColumn("MinPods", ({ spec }) => String(spec?.minReplicas ?? "<unset>")),
  stringColumn("MaxPods", ({ spec }) => spec?.maxReplicas),
  stringColumn("Replicas", ({ status }) => status?.currentReplicas ?? 0),
  AGE_COLUMN,
);

const UNKNOWN = "<unknown>";

function formatMetric(spec: Unvalidated<MetricSpec>, status: Unvalidated<MetricStatus> | undefined): string {
  switch (spec.type) {
    case "External":
      return formatPlainMetric(spec.external?.target, status?.external?.current);
    case "Object":
      return formatPlainMetric(spec.object?.target, status?.object?.current);
    case "Pods":
      return `${status?.pods?.current?.averageValue ?? UNKNOWN}/${spec.pods?.target?.averageValue}`;
    case "Resource":
      return formatResourceMetric(spec.resource, status?.resource?.current);
    case "ContainerResource":
      return formatResourceMetric(spec.containerResource, status?.containerResource?.current);
    default:
      return "<unknown type>";
  }
}

type MetricValues = Unvalidated<{ readonly value: string; readonly averageValue: string; readonly averageUtilization: number }>;

function formatPlainMetric(target: MetricValues | null | undefined, current: MetricValues | null | undefined): string {
  if (target?.averageValue != null) return `${current?.averageValue ?? UNKNOWN}/${target.averageValue} (avg)`;
  return `${current == null ? UNKNOWN : (current.value ?? "0")}/${target?.value}`;
}

function formatResourceMetric(
  spec: Unvalidated<{ name: string; target: MetricValues }> | null | undefined,
  current: MetricValues | null | undefined,
): string {
  const target = spec?.target as MetricValues | undefined;
  if (target?.averageValue != null) return `${spec?.name}: ${current?.averageValue ?? UNKNOWN}/${target.averageValue}`;
  const now = current?.averageUtilization == null ? UNKNOWN : `${current.averageUtilization}%`;
  return `${spec?.name}: ${now}/${target?.averageUtilization == null ? "<auto>" : `${target.averageUtilization}%`}`;
}

/** Printer of autoscaling/v1; same columns as autoscaling/v2. */
export const horizontalPodAutoscalerV1Printer = {
  ...horizontalPodAutoscalerPrinter,
  cells: (object: object, now: number) => {
    const { metadata, spec, status } = object as Unvalidated<HorizontalPodAutoscalerV1>;
    const cpu = (averageUtilization: number | null | undefined) => ({ name: "cpu", target: { type: "Utilization", averageUtilization } });
    const current = status?.currentCPUUtilizationPercentage;
    const v2 = {
      metadata,
      spec: { ...spec, metrics: [{ type: "Resource", resource: cpu(spec?.targetCPUUtilizationPercentage) }] },
      status: {
        currentReplicas: status?.currentReplicas,
        currentMetrics: current == null ? [] : [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: current } } }],
      },
    };
    return horizontalPodAutoscalerPrinter.cells(v2 as never, now);
  },
};
