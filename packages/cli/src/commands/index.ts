/** Every command of `pintle`, one file each, in the order in which help lists them. */
import type { Command } from "../command.ts";
import { build } from "./build.ts";
import { clusterUp } from "./cluster-up.ts";
import { createApi } from "./create-api.ts";
import { deploy } from "./deploy.ts";
import { dev } from "./dev.ts";
import { generate } from "./generate.ts";
import { init } from "./init.ts";
import { install } from "./install.ts";
import { push } from "./push.ts";
import { run } from "./run.ts";
import { undeploy } from "./undeploy.ts";
import { uninstall } from "./uninstall.ts";
import { version } from "./version.ts";

export const COMMANDS: readonly Command[] = [
  init,
  createApi,
  dev,
  generate,
  run,
  install,
  uninstall,
  build,
  push,
  deploy,
  undeploy,
  clusterUp,
  version,
];
