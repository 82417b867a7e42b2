/** What the server fills in: functions by Go type, and the walk that applies them to a whole object. */
import { coreDefaults } from "./core.ts";
import { defaulters } from "./defaulter.ts";
import { otherDefaults } from "./others.ts";
import { podDefaults } from "./pod.ts";
import { workloadDefaults } from "./workloads.ts";

export { TEMPLATE_GENERATION } from "./workloads.ts";

/** The defaults of a Go struct and everything in it, applied in place; undefined where there are none. */
export const defaulterOf = defaulters({ ...coreDefaults, ...podDefaults, ...workloadDefaults, ...otherDefaults });
