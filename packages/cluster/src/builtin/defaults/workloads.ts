import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "pintle/kinds/apps/v1";
import type { HorizontalPodAutoscaler, HPAScalingRules } from "pintle/kinds/autoscaling/v2";
import type { CronJob, Job } from "pintle/kinds/batch/v1";
import type { Draft } from "../draft.ts";
import type { DefaultTable } from "./defaulter.ts";

export const workloadDefaults: DefaultTable = {
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
  "apps.v1.DaemonSet": ({ spec }: Draft<DaemonSet>) => {
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
  "autoscaling.v1.HorizontalPodAutoscaler": ({ spec }: { spec?: { minReplicas?: number } }) => {
    if (spec) spec.minReplicas ??= 1;
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
    spec.behavior.scaleUp = scaling(spec.behavior.scaleUp, { stabilizationWindowSeconds: 0, policies: up });
    spec.behavior.scaleDown = scaling(spec.behavior.scaleDown, { policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] });
  },
};

function scaling(given: Draft<HPAScalingRules> | null | undefined, more: Draft<HPAScalingRules>): Draft<HPAScalingRules> {
  const set = Object.entries(given ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return { ...more, selectPolicy: "Max", ...Object.fromEntries(set) };
}
