/**
 * The request interceptor around the API server's pipeline: audit log, fault injection and activity tracking. In come requests from the
 * transports, and fault rules from the user; out go the same requests to the server, audit log entries in memory, and events of audit.k8s.io/v1 to a file. It outlives a restart of the
 * server. `settled()` reads the activity tracker.
 */
export { type ActivityTracker, createActivityTracker } from "./activity-tracker.ts";
export { type AuditOptions, type Auditor, createAuditor } from "./audit/auditor.ts";
export type { AuditLogFileOptions } from "./audit/log-file.ts";
export type { AuditGroupResources, AuditLevel, AuditPolicy, AuditPolicyRule, AuditStage } from "./audit/policy.ts";
export type { AuditWebhookOptions } from "./audit/webhook.ts";
export { type AuditLog, type AuditLogEntry, type AuditLogWriter, createAuditLog } from "./audit-log.ts";
export { createFaultInjector, type FaultInjector } from "./faults/fault-injector.ts";
export type {
  EventFault,
  EventFaultRule,
  Fault,
  FaultFrequency,
  FaultRule,
  Faults,
  InjectedFault,
  RequestFault,
  RequestFaultRule,
  WebhookFault,
  WebhookFaultRule,
} from "./faults/fault-rules.ts";
export { createRequestInterceptor, type RequestInterceptor } from "./request-interceptor.ts";
export type { AuditLogMatch, RequestAttributes, RequestMatch, StringMatch } from "./request-match.ts";
