/** Kinds of the groups apps, batch, autoscaling and policy. */
import type { RuleTable } from "../rules.ts";
import { horizontalPodAutoscaler, horizontalPodAutoscalerV1 } from "./autoscaler.ts";
import { cronJob } from "./cron-job.ts";
import { controllerRevision, daemonSet } from "./daemon-set.ts";
import { deployment, replicaSet } from "./deployment.ts";
import { podDisruptionBudget } from "./disruption-budget.ts";
import { job } from "./job.ts";
import { statefulSet } from "./stateful-set.ts";

export const workloadRules: RuleTable = {
  ControllerRevision: controllerRevision,
  CronJob: cronJob,
  DaemonSet: daemonSet,
  Deployment: deployment,
  "autoscaling/v1/HorizontalPodAutoscaler": horizontalPodAutoscalerV1,
  HorizontalPodAutoscaler: horizontalPodAutoscaler,
  Job: job,
  PodDisruptionBudget: podDisruptionBudget,
  ReplicaSet: replicaSet,
  StatefulSet: statefulSet,
};
