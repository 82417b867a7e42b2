/** Strategies of apps, batch, autoscaling and policy. */
import type { StrategyTable } from "../kind-strategy.ts";
import { cronJobStrategy } from "./cron-job.ts";
import { controllerRevisionStrategy, daemonSetStrategy } from "./daemon-set.ts";
import { deploymentStrategy, replicaSetStrategy } from "./deployment.ts";
import { horizontalPodAutoscalerStrategy, horizontalPodAutoscalerV1Strategy } from "./horizontal-pod-autoscaler.ts";
import { jobStrategy } from "./job.ts";
import { podDisruptionBudgetStrategy } from "./pod-disruption-budget.ts";
import { statefulSetStrategy } from "./stateful-set.ts";

export const workloadStrategies: StrategyTable = {
  ControllerRevision: controllerRevisionStrategy,
  CronJob: cronJobStrategy,
  DaemonSet: daemonSetStrategy,
  Deployment: deploymentStrategy,
  "autoscaling/v1/HorizontalPodAutoscaler": horizontalPodAutoscalerV1Strategy,
  HorizontalPodAutoscaler: horizontalPodAutoscalerStrategy,
  Job: jobStrategy,
  PodDisruptionBudget: podDisruptionBudgetStrategy,
  ReplicaSet: replicaSetStrategy,
  StatefulSet: statefulSetStrategy,
};
