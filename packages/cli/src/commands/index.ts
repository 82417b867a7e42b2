/**
 * Every command of `pintle`, one file each, in the order of the help text. The sub-folders group them: `project/` writes source files and
 * manifests, `run/` runs the operator on this machine, `image/` builds images, `deploy/` works on a cluster, `cluster/` runs embedded
 * clusters.
 */
import type { Command } from "../command/index.ts";
import { clusterAssets } from "./cluster/cluster-assets.ts";
import { clusterUp } from "./cluster/cluster-up.ts";
import { clusterDown, clusterKubeconfig, clusterReset, clusterSnapshot } from "./cluster/running-cluster.ts";
import { createCompletionCommand } from "./completion.ts";
import { deploy } from "./deploy/deploy.ts";
import { diff } from "./deploy/diff.ts";
import { install } from "./deploy/install.ts";
import { logs } from "./deploy/logs.ts";
import { migrate } from "./deploy/migrate.ts";
import { status } from "./deploy/status.ts";
import { undeploy } from "./deploy/undeploy.ts";
import { uninstall } from "./deploy/uninstall.ts";
import { doctor } from "./doctor.ts";
import { build } from "./image/build.ts";
import { push } from "./image/push.ts";
import { createApi } from "./project/create-api.ts";
import { createController } from "./project/create-controller.ts";
import { createWebhook } from "./project/create-webhook.ts";
import { deleteApi } from "./project/delete-api.ts";
import { explain } from "./project/explain.ts";
import { generate } from "./project/generate.ts";
import { init } from "./project/init.ts";
import { upgrade } from "./project/upgrade.ts";
import { dev } from "./run/dev.ts";
import { run } from "./run/run.ts";
import { version } from "./version.ts";

export const COMMANDS: readonly Command[] = [
  init,
  createApi,
  createController,
  createWebhook,
  deleteApi,
  dev,
  generate,
  run,
  install,
  uninstall,
  build,
  push,
  diff,
  deploy,
  status,
  logs,
  migrate,
  undeploy,
  clusterUp,
  clusterAssets,
  clusterDown,
  clusterReset,
  clusterKubeconfig,
  clusterSnapshot,
  doctor,
  explain,
  upgrade,
  createCompletionCommand(() => COMMANDS),
  version,
];
