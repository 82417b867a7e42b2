/**
 * Records the control plane of an embedded cluster: which request made which commit, and which event, timer or run caused each request of a
 * controller, the scheduler or a node.
 *
 * In: the audit log entries of all requests, and the context of every component. Out: facts of `pintle`'s flight recorder. The components are not
 * written for it: their event handlers, work queues and timers run in a scope (`AsyncLocalStorage`) that names the cause, and the transport
 * gives each write the audit id of the scope's run. None of this exists unless the cluster is started with `recorder`.
 */
export { type CauseScopes, createCauseScopes } from "./cause-scopes.ts";
export { learnSecrets, type StoredSecrets } from "./learn-secrets.ts";
export { recordComponent } from "./record-component.ts";
export { recordFaults } from "./record-faults.ts";
export { recordRequests } from "./record-requests.ts";
