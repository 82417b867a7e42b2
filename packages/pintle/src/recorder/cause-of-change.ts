import type { RunCause } from "./facts.ts";

interface ChangedObject {
  readonly metadata: {
    readonly namespace?: string | undefined;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
}

/** Describes an event of an informer as the cause of a run. A deletion is identified by uid: its resourceVersion is not known to every client. */
export function causeOfChange(
  change: { readonly event: RunCause["event"]; readonly old: ChangedObject | undefined; readonly new: ChangedObject | undefined },
  kind: string,
  source?: string,
): RunCause {
  const { namespace, name, uid, resourceVersion } = (change.new ?? (change.old as ChangedObject)).metadata;
  const version = change.new === undefined ? undefined : resourceVersion;
  return { event: change.event, source, object: { kind, namespace, name, uid, resourceVersion: version } };
}
