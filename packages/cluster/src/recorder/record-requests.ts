import type { FlightRecorder } from "pintle/internal/recorder";
import type { AuditLogEntry, AuditLogWriter } from "../interceptors/index.ts";
import type { StoredSecrets } from "./learn-secrets.ts";

const READ_VERBS = new Set(["get", "list", "watch"]);

/** Returns an audit log that also records every request that writes, and its commits, as facts. */
export function recordRequests(auditLog: AuditLogWriter, recorder: FlightRecorder, secrets: StoredSecrets): AuditLogWriter {
  return Object.create(auditLog, {
    write: {
      value(entry: AuditLogEntry) {
        auditLog.write(entry);
        if (entry.fault !== undefined) recordFault(entry, entry.fault, recorder);
        if (!READ_VERBS.has(entry.verb) && entry.resource !== "" && !entry.dryRun) recordRequest(entry, recorder, secrets);
      },
    },
  });
}

function recordFault({ id, verb, resource, namespace, name, path }: AuditLogEntry, fault: string, recorder: FlightRecorder): void {
  const subject = `${verb} ${resource === "" ? path : [resource, namespace, name].filter(Boolean).join("/")}`;
  recorder.record({ type: "fault", target: "request", request: id, fault, subject });
}

/** Reviews carry tokens. */
const REVIEWS = new Set(["tokenreviews", "serviceaccounts"]);

function recordRequest(entry: AuditLogEntry, recorder: FlightRecorder, secrets: StoredSecrets): void {
  const {
    id,
    verb,
    group,
    resource,
    subresource,
    namespace,
    name,
    code,
    reason,
    message,
    user,
    fieldManager,
    fault,
    duration,
    revision,
    commits,
  } = entry;
  recorder.record({
    type: "request",
    side: "server",
    id,
    verb,
    resource: subresource === "" ? resource : `${resource}/${subresource}`,
    namespace: namespace || undefined,
    name: name || undefined,
    resourceVersion: revision || undefined,
    code,
    reason: reason || undefined,
    // The message of a rejection quotes the rejected value, which is in no stored object, so the redactor does not know it.
    message: REVIEWS.has(resource) || secrets.fieldsOf(toPrefix(group, resource)) !== undefined ? undefined : message || undefined,
    user,
    fieldManager: fieldManager || undefined,
    fault,
    duration: Math.round(duration * 1000) / 1000,
  });
  for (const { type, key, revision: committed, uid } of commits)
    recorder.record({ type: "commit", operation: type, key, revision: committed, uid, request: id });
}

/** The start of the keys of a resource. Only custom resources and Secrets have secret fields. */
const toPrefix = (group: string, resource: string) => (group === "" ? `/registry/${resource}/` : `/registry/${group}/${resource}/`);
