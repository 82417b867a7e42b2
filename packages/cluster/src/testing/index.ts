/**
 * What makes a cluster a place for tests. Comes in: the request pipeline of a cluster and its clock. Goes out: a front
 * for it that keeps a journal of every request and breaks them by rule, `settled` and `advance` (rest, and time), and an
 * authority that is the same in every run.
 */
export { advance, isVirtual } from "./advance.ts";
export { type ClusterKeys, testAuthority } from "./authority.ts";
export type {
  EventFault,
  EventRule,
  Fault,
  FaultRule,
  Faults,
  Injected,
  RequestFault,
  RequestRule,
  WebhookFault,
  WebhookRule,
} from "./fault.ts";
export { faultBook } from "./fault-book.ts";
export { type Front, front } from "./front.ts";
export { type Journal, type JournalEntry, journal } from "./journal.ts";
export type { EntryMatch, OneOf, RequestMatch } from "./match.ts";
export { pulse } from "./pulse.ts";
export { type SettledOptions, settled } from "./settled.ts";
