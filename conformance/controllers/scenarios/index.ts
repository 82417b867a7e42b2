import type { Scenario } from "../scenario.ts";
import { autoscaler } from "./autoscaler.ts";
import { cronJob } from "./cron-job.ts";
import { daemonSet } from "./daemon-set.ts";
import { adoption, deployment, recreate } from "./deployment.ts";
import { backoff, jobs, jobsThatFail, jobsWithIndexes } from "./job.ts";
import { disruption, namespace, quota } from "./policy.ts";
import { replicationController } from "./replication-controller.ts";
import { nodes, scheduling } from "./scheduling.ts";
import { services } from "./service.ts";
import { partition, statefulSet, withVolumes } from "./stateful-set.ts";
import { volumes } from "./volumes.ts";

export const scenarios: readonly Scenario[] = [
  deployment,
  recreate,
  adoption,
  services,
  statefulSet,
  partition,
  withVolumes,
  daemonSet,
  jobs,
  jobsWithIndexes,
  jobsThatFail,
  backoff,
  cronJob,
  volumes,
  disruption,
  quota,
  namespace,
  replicationController,
  scheduling,
  nodes,
  autoscaler,
];
