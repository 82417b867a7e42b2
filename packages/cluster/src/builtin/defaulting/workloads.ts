import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "pintle/kinds/apps/v1";
import type { HorizontalPodAutoscaler as AutoscalerV1 } from "pintle/kinds/autoscaling/v1";
import type { HorizontalPodAutoscaler, HPAScalingRules } from "pintle/kinds/autoscaling/v2";
import type { CronJob, Job } from "pintle/kinds/batch/v1";
import type { Draft } from "../draft.ts";
import type { DefaultingFunctions } from "./struct-defaulter.ts";

/** Annotation that holds a field which apps/v1 no longer has. */
export const TEMPLATE_GENERATION_ANNOTATION = "deprecated.daemonset.template.generation";

export const workloadDefaults: DefaultingFunctions = {
  "apps.v1.Deployment": ({ spec }: Draft<Deployment>) => {
    if (!spec) return;
    spec.replicas ??= 1;
    spec.strategy ??= {};
    spec.strategy.type ||= "RollingUpdate";
    if (spec.strategy.type === "RollingUpdate") {
      spec.strategy.rollingUpdate ??= {};
      spec.strategy.rollingUpdate.maxUnavailable ??= "25%";
      spec.strategy.rollingUpdate.maxSurge ??= "25%";
    }
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
  },
  "apps.v1.ReplicaSet": ({ spec }: Draft<ReplicaSet>) => {
    if (spec) spec.replicas ??= 1;
  },
  "apps.v1.DaemonSet": ({ metadata, spec }: Draft<DaemonSet>) => {
    if (metadata) metadata.annotations = { [TEMPLATE_GENERATION_ANNOTATION]: "0", ...metadata.annotations };
    if (!spec) return;
    spec.updateStrategy ??= {};
    spec.updateStrategy.type ||= "RollingUpdate";
    if (spec.updateStrategy.type === "RollingUpdate") {
      spec.updateStrategy.rollingUpdate ??= {};
      spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
      spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
    }
    spec.revisionHistoryLimit ??= 10;
  },
  "apps.v1.StatefulSet": ({ spec }: Draft<StatefulSet>) => {
    if (!spec) return;
    spec.podManagementPolicy ||= "OrderedReady";
    spec.updateStrategy ??= {};
    if (!spec.updateStrategy.type) {
      spec.updateStrategy.type = "RollingUpdate";
      spec.updateStrategy.rollingUpdate ??= {};
    }
    if (spec.updateStrategy.type === "RollingUpdate" && spec.updateStrategy.rollingUpdate) {
      spec.updateStrategy.rollingUpdate.partition ??= 0;
    }
    spec.persistentVolumeClaimRetentionPolicy ??= {};
    spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= "Retain";
    spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= "Retain";
    spec.replicas ??= 1;
    spec.revisionHistoryLimit ??= 10;
  },
  "batch.v1.Job": ({ metadata, spec }: Draft<Job>) => {
    if (!spec) return;
    if (spec.parallelism == null) spec.completions ??= 1;
    spec.parallelism ??= 1;
    spec.backoffLimit ??= spec.backoffLimitPerIndex == null ? 6 : 2 ** 31 - 1;
    const labels = spec.template?.metadata?.labels;
    if (labels && metadata && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
    spec.completionMode ??= "NonIndexed";
    spec.suspend ??= false;
    spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
    spec.manualSelector ??= false;
  },
  "batch.v1.CronJob": ({ spec }: Draft<CronJob>) => {
    if (!spec) return;
    spec.concurrencyPolicy ||= "Allow";
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
  },
  "batch.v1.PodFailurePolicyOnPodConditionsPattern": (pattern: { status?: string }) => {
    pattern.status ||= "True";
  },
  "autoscaling.v1.HorizontalPodAutoscaler": ({ metadata, spec }: Draft<AutoscalerV1>) => {
    if (!spec) return;
    spec.minReplicas ??= 1;
    if (metadata?.annotations?.["autoscaling.alpha.kubernetes.io/metrics"] === undefined) spec.targetCPUUtilizationPercentage ??= 80;
  },
  "autoscaling.v2.HorizontalPodAutoscaler": ({ spec }: Draft<HorizontalPodAutoscaler>) => {
    if (!spec) return;
    spec.minReplicas ??= 1;
    if (!spec.metrics?.length) {
      spec.metrics = [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }];
    }
    if (!spec.behavior) return;
    const up = [
      { type: "Pods", value: 4, periodSeconds: 15 },
      { type: "Percent", value: 100, periodSeconds: 15 },
    ];
    spec.behavior.scaleUp = defaultScalingRules(spec.behavior.scaleUp, { stabilizationWindowSeconds: 0, policies: up });
    spec.behavior.scaleDown = defaultScalingRules(spec.behavior.scaleDown, {
      policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
    });
  },
};

function defaultScalingRules(rules: Draft<HPAScalingRules> | null | undefined, defaults: Draft<HPAScalingRules>): Draft<HPAScalingRules> {
  const set = Object.entries(rules ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return { ...defaults, selectPolicy: "Max", ...Object.fromEntries(set) };
}
