/**
 * What tests need of a cluster beside its API: `settled` (wait until everything is idle), `advanceClock` (let virtual time pass) and an
 * authority whose keys are the same in every run. The audit log and fault injection are in `interceptors/`.
 */
export { advanceClock, isVirtualClock } from "./advance-clock.ts";
export { type SettledOptions, settled } from "./settled.ts";
export { type ClusterKeys, testAuthority } from "./test-authority.ts";
