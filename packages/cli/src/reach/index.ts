/**
 * Working on a cluster: finding it as kubectl does, asking before a foreign one is changed, and putting objects there
 * or taking them away. In come objects; out goes what became of each.
 */
export { apply, MANAGER, nameOf, type Outcome, remove, waitGone } from "./apply.ts";
export { available } from "./available.ts";
export { establish } from "./definitions.ts";
export { type Difference, difference, type FieldChange, fieldChanges } from "./difference.ts";
export { type Instances, instances, removeInstances } from "./instances.ts";
export { type PodState, podsOf, podWords } from "./pods.ts";
export { confirm, located, REACH_ABOUT, REACH_OPTIONS, type Reach, reach } from "./reach.ts";
