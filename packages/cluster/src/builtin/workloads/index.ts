/** Kinds of the groups apps, batch, autoscaling and policy. */
import type { RuleTable } from "../rules.ts";
import {
  controllerRevisionTable,
  horizontalPodAutoscalerTable,
  horizontalPodAutoscalerV1Table,
  podDisruptionBudgetTable,
  replicaSetTable,
} from "../table/workloads.ts";
import { daemonSet } from "./daemon-set.ts";
import { deployment } from "./deployment.ts";
import { cronJob, job } from "./job.ts";
import { statefulSet } from "./stateful-set.ts";

export const workloadRules: RuleTable = {
  ControllerRevision: { table: controllerRevisionTable },
  CronJob: cronJob,
  DaemonSet: daemonSet,
  Deployment: deployment,
  "autoscaling/v1/HorizontalPodAutoscaler": { table: horizontalPodAutoscalerV1Table },
  HorizontalPodAutoscaler: { table: horizontalPodAutoscalerTable },
  Job: job,
  PodDisruptionBudget: { table: podDisruptionBudgetTable },
  ReplicaSet: { table: replicaSetTable },
  StatefulSet: statefulSet,
};
