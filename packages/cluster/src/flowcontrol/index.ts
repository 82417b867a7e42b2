/**
 * API Priority and Fairness: classifies requests by the FlowSchemas of the store and admits them by the seats of their
 * PriorityLevelConfiguration, so that health checks, leases and the control plane keep their share. In come the attributes of a request;
 * out goes a ticket, at once or after waiting, or 429.
 */
export { type Flow, type FlowControlOptions, type RunningFlowControl, startFlowControl } from "./flow-control.ts";
export type { PriorityLevel, RejectionReason } from "./priority-level.ts";
