import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from "pintle/kinds/apps/v1";
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from "pintle/kinds/autoscaling/v1";
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from "pintle/kinds/autoscaling/v2";
import type { CronJob, Job } from "pintle/kinds/batch/v1";
import type { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { humanDuration } from "../../api/index.ts";
import type { Loose } from "../draft.ts";
import { AGE, containerColumns, few, flag, integer, labels, NAME, printer, selector, selectorText, since, text, wide } from "./printer.ts";

export const deploymentTable = printer<Deployment>(
  NAME,
  text("Ready", ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`),
  text("Up-to-date", ({ status }) => status?.updatedReplicas ?? 0),
  text("Available", ({ status }) => status?.availableReplicas ?? 0),
  AGE,
  ...containerColumns<Deployment>(({ spec }) => spec?.template?.spec?.containers).map(wide),
  wide(text("Selector", ({ spec }) => selectorText(spec?.selector))),
);

export const replicaSetTable = printer<ReplicaSet>(
  NAME,
  integer("Desired", ({ spec }) => spec?.replicas ?? 0),
  integer("Current", ({ status }) => status?.replicas ?? 0),
  integer("Ready", ({ status }) => status?.readyReplicas ?? 0),
  AGE,
  ...containerColumns<ReplicaSet>(({ spec }) => spec?.template?.spec?.containers).map(wide),
  wide(text("Selector", ({ spec }) => selector(spec?.selector))),
);

export const statefulSetTable = printer<StatefulSet>(
  NAME,
  text("Ready", ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`),
  AGE,
  ...containerColumns<StatefulSet>(({ spec }) => spec?.template?.spec?.containers).map(wide),
);

export const daemonSetTable = printer<DaemonSet>(
  NAME,
  integer("Desired", ({ status }) => status?.desiredNumberScheduled ?? 0),
  integer("Current", ({ status }) => status?.currentNumberScheduled ?? 0),
  integer("Ready", ({ status }) => status?.numberReady ?? 0),
  integer("Up-to-date", ({ status }) => status?.updatedNumberScheduled ?? 0),
  integer("Available", ({ status }) => status?.numberAvailable ?? 0),
  text("Node Selector", ({ spec }) => labels(spec?.template?.spec?.nodeSelector)),
  AGE,
  ...containerColumns<DaemonSet>(({ spec }) => spec?.template?.spec?.containers).map(wide),
  wide(text("Selector", ({ spec }) => selector(spec?.selector))),
);

export const controllerRevisionTable = printer<ControllerRevision>(
  NAME,
  text("Controller", ({ metadata }) => {
    const owner = metadata?.ownerReferences?.find(({ controller }) => controller);
    if (owner === undefined) return "<none>";
    const [, group] = (owner.apiVersion ?? "").split("/").reverse();
    return `${(group === undefined ? owner.kind! : `${owner.kind}.${group}`).toLowerCase()}/${owner.name}`;
  }),
  text("Revision", ({ revision }) => revision),
  AGE,
);

/** In order of precedence; the first that holds is shown. */
const JOB_STATES: readonly (readonly [condition: string, status: string])[] = [
  ["Complete", "Complete"],
  ["Failed", "Failed"],
  ["", "Terminating"],
  ["Suspended", "Suspended"],
  ["FailureTarget", "FailureTarget"],
  ["SuccessCriteriaMet", "SuccessCriteriaMet"],
];

export const jobTable = printer<Job>(
  NAME,
  text("Status", ({ metadata, status }) => {
    const holds = (type: string) => status?.conditions?.some((each) => each.type === type && each.status === "True") ?? false;
    const found = JOB_STATES.find(([type]) => (type === "" ? !!metadata?.deletionTimestamp : holds(type)));
    return found?.[1] ?? "Running";
  }),
  text("Completions", ({ spec, status }) => {
    const done = status?.succeeded ?? 0;
    if (spec?.completions != null) return `${done}/${spec.completions}`;
    return (spec?.parallelism ?? 0) > 1 ? `${done}/1 of ${spec!.parallelism}` : `${done}/1`;
  }),
  text("Duration", ({ status }, now) => {
    if (!status?.startTime) return "";
    const end = status.completionTime ? Date.parse(status.completionTime) : now;
    return humanDuration(end - Date.parse(status.startTime));
  }),
  AGE,
  ...containerColumns<Job>(({ spec }) => spec?.template?.spec?.containers).map(wide),
  wide(text("Selector", ({ spec }) => selector(spec?.selector))),
);

export const cronJobTable = printer<CronJob>(
  NAME,
  text("Schedule", ({ spec }) => spec?.schedule),
  text("Timezone", ({ spec }) => spec?.timeZone ?? "<none>"),
  flag("Suspend", ({ spec }) => (spec?.suspend == null ? "<unset>" : spec.suspend ? "True" : "False")),
  integer("Active", ({ status }) => status?.active?.length ?? 0),
  text("Last Schedule", ({ status }, now) => (status?.lastScheduleTime ? since(status.lastScheduleTime, now) : "<none>")),
  AGE,
  ...containerColumns<CronJob>(({ spec }) => spec?.jobTemplate?.spec?.template?.spec?.containers).map(wide),
  wide(text("Selector", ({ spec }) => selector(spec?.jobTemplate?.spec?.selector))),
);

export const podDisruptionBudgetTable = printer<PodDisruptionBudget>(
  NAME,
  text("Min Available", ({ spec }) => String(spec?.minAvailable ?? "N/A")),
  text("Max Unavailable", ({ spec }) => String(spec?.maxUnavailable ?? "N/A")),
  integer("Allowed Disruptions", ({ status }) => status?.disruptionsAllowed ?? 0),
  AGE,
);

export const horizontalPodAutoscalerTable = printer<HorizontalPodAutoscaler>(
  NAME,
  text("Reference", ({ spec }) => `${spec?.scaleTargetRef?.kind}/${spec?.scaleTargetRef?.name}`),
  text("Targets", ({ spec, status }) => {
    const metrics = (spec?.metrics ?? []).map((each, index) => metric(each, status?.currentMetrics?.[index]));
    return metrics.length === 0 ? "<none>" : few(metrics, 2, ", ");
  }),
  text("MinPods", ({ spec }) => String(spec?.minReplicas ?? "<unset>")),
  text("MaxPods", ({ spec }) => spec?.maxReplicas),
  text("Replicas", ({ status }) => status?.currentReplicas ?? 0),
  AGE,
);

const UNKNOWN = "<unknown>";

function metric(spec: Loose<MetricSpec>, status: Loose<MetricStatus> | undefined): string {
  switch (spec.type) {
    case "External":
      return plainMetric(spec.external?.target, status?.external?.current);
    case "Object":
      return plainMetric(spec.object?.target, status?.object?.current);
    case "Pods":
      return `${status?.pods?.current?.averageValue ?? UNKNOWN}/${spec.pods?.target?.averageValue}`;
    case "Resource":
      return resourceMetric(spec.resource, status?.resource?.current);
    case "ContainerResource":
      return resourceMetric(spec.containerResource, status?.containerResource?.current);
    default:
      return "<unknown type>";
  }
}

type Values = Loose<{ readonly value: string; readonly averageValue: string; readonly averageUtilization: number }>;

function plainMetric(target: Values | null | undefined, current: Values | null | undefined): string {
  if (target?.averageValue != null) return `${current?.averageValue ?? UNKNOWN}/${target.averageValue} (avg)`;
  return `${current == null ? UNKNOWN : (current.value ?? "0")}/${target?.value}`;
}

function resourceMetric(spec: Loose<{ name: string; target: Values }> | null | undefined, current: Values | null | undefined): string {
  const target = spec?.target as Values | undefined;
  if (target?.averageValue != null) return `${spec?.name}: ${current?.averageValue ?? UNKNOWN}/${target.averageValue}`;
  const now = current?.averageUtilization == null ? UNKNOWN : `${current.averageUtilization}%`;
  return `${spec?.name}: ${now}/${target?.averageUtilization == null ? "<auto>" : `${target.averageUtilization}%`}`;
}

/** The same autoscalers, in the words of autoscaling/v1. */
export const horizontalPodAutoscalerV1Table = {
  ...horizontalPodAutoscalerTable,
  cells: (object: object, now: number) => {
    const { metadata, spec, status } = object as Loose<HorizontalPodAutoscalerV1>;
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
    return horizontalPodAutoscalerTable.cells(v2 as never, now);
  },
};
