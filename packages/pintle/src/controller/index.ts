/**
 * controller(): one reconcile function for one kind, with everything it touches declared.
 *
 * In: changes from the cache, through triggers and the queue. Out: a plan (apply, skip, hold, prune, status), which is a
 * plain value, and the requests that carry it out. `plan`, `decide` and `rules` are pure; `operate` runs a controller
 * over a cache and a client.
 */
export { AlreadyOwned } from "./already-owned.ts";
export { isBug } from "./bug.ts";
export { changed } from "./changed.ts";
export { type Controller, controller } from "./controller.ts";
export { type Duration, milliseconds } from "./duration.ts";
export { elsewhere } from "./elsewhere.ts";
export { type Grant, grants, type PolicyRule } from "./grants.ts";
export { type Fields, type Logger, silent } from "./logger.ts";
export { OWNER_LABEL, PAUSED, PREFIX, RECEIPT } from "./names.ts";
export { NotLeading } from "./not-leading.ts";
export { type Operation, operate } from "./operate.ts";
export type {
  Announce,
  By,
  Context,
  Daemon,
  Filter,
  ObjectName,
  Options,
  Ownable,
  Owned,
  Store,
  Told,
  Watch,
} from "./options.ts";
export { Oscillation } from "./oscillation.ts";
export { isSettled, type Plan, plan, planText, type Situation, type Step } from "./plan.ts";
export type { Announcement, ControllerObserver, Plant, Recorder, Result } from "./plant.ts";
export { type Rule, rules } from "./rules.ts";
export { TerminalError, terminal } from "./terminal.ts";
export { ReconcileTimeout } from "./timeout.ts";
export type { ChildOf, Children, ConditionValue, Want, Wanted } from "./want.ts";
