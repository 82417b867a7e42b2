/** Every command of `pintle`, one file each, in the order in which help lists them. */
import type { Command } from "../command.ts";
import { clusterUp } from "./cluster-up.ts";
import { init } from "./init.ts";
import { version } from "./version.ts";

export const COMMANDS: readonly Command[] = [init, clusterUp, version];
