/** Every command of `pintle`, one file each, in the order in which help lists them. */
import type { Command } from "../command.ts";
import { build } from "./build.ts";
import { clusterAssets } from "./cluster-assets.ts";
import { clusterDown, clusterKubeconfig, clusterReset, clusterSnapshot } from "./cluster-running.ts";
import { clusterUp } from "./cluster-up.ts";
import { completionOf } from "./completion.ts";
import { createApi } from "./create-api.ts";
import { createController } from "./create-controller.ts";
import { createWebhook } from "./create-webhook.ts";
import { deleteApi } from "./delete-api.ts";
import { deploy } from "./deploy.ts";
import { dev } from "./dev.ts";
import { diff } from "./diff.ts";
import { doctor } from "./doctor.ts";
import { explain } from "./explain.ts";
import { generate } from "./generate.ts";
import { init } from "./init.ts";
import { install } from "./install.ts";
import { logs } from "./logs.ts";
import { migrate } from "./migrate.ts";
import { push } from "./push.ts";
import { run } from "./run.ts";
import { status } from "./status.ts";
import { undeploy } from "./undeploy.ts";
import { uninstall } from "./uninstall.ts";
import { upgrade } from "./upgrade.ts";
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
  completionOf(() => COMMANDS),
  version,
];
