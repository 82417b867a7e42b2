import type { Client } from "../client/index.ts";
import type { Clock } from "../clock/index.ts";
import { type EventRecorder, type Logger, NotLeading, type RecordedEvent } from "../controller/index.ts";
import { runInBackground } from "../errors/index.ts";
import { Event } from "../kinds/generated/events/v1.ts";
import { formatMicroTime } from "../kinds/index.ts";
import { digest } from "../merge/index.ts";

export interface EventRecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `reportingInstance` of the Events: the pod or the host. */
  readonly instance: string;
  /** Throws when this process must not write. */
  readonly writeGate: () => void;
}

export interface BackgroundEventRecorder extends EventRecorder {
  /** Resolves when all recorded events are written, or after `limit` milliseconds. */
  flush(limit: number): Promise<void>;
}

interface EventSeries {
  readonly name: string;
  readonly namespace: string;
  count: number;
  last: number;
  /** The last write of the series: writes of one Event are sequential. */
  writing: Promise<void>;
}

/** The same event within this time increments the count of the existing Event. */
const SERIES_WINDOW_MS = 6 * 60_000;
/** Token bucket per object: a burst, then one event per refill interval. */
const EVENT_BURST = 25;
const EVENT_REFILL_MS = 5 * 60_000;
const MAX_NOTE_LENGTH = 1024;
const MAX_NAME_LENGTH = 253;

/** Creates a recorder that writes Kubernetes Events in the background. Repeated events become a series; an event that cannot be written is logged and dropped. */
export function createEventRecorder({ client, clock, logger, instance, writeGate }: EventRecorderOptions): BackgroundEventRecorder {
  const known = new Map<string, EventSeries>();
  const allowances = new Map<string, { left: number; at: number }>();
  const pending = new Set<Promise<void>>();

  const takeAllowance = (uid: string, now: number) => {
    const allowance = allowances.get(uid) ?? { left: EVENT_BURST, at: now };
    const refilled = Math.floor((now - allowance.at) / EVENT_REFILL_MS);
    const left = Math.min(EVENT_BURST, allowance.left + refilled);
    allowances.set(uid, { left: Math.max(0, left - 1), at: allowance.at + refilled * EVENT_REFILL_MS });
    return left > 0;
  };
  const forgetOld = (now: number) => {
    for (const [key, { last }] of known) if (now - last > SERIES_WINDOW_MS) known.delete(key);
    for (const [uid, { at }] of allowances) if (now - at > EVENT_BURST * EVENT_REFILL_MS) allowances.delete(uid);
  };
  const track = (work: Promise<void>, about: RecordedEvent): Promise<void> => {
    const safe = work.catch((error) => {
      if (!(error instanceof NotLeading)) logger.warn("Failed to record event", { reason: about.reason, error });
    });
    pending.add(safe);
    return safe.finally(() => pending.delete(safe));
  };

  return {
    recordEvent(about) {
      const now = clock.now();
      const { metadata } = about.object;
      const key = [about.controller, metadata.uid, about.type, about.reason, about.message].join("\n");
      const before = known.get(key);
      if (before !== undefined && now - before.last <= SERIES_WINDOW_MS) {
        before.count++;
        before.last = now;
        const series = { count: before.count, lastObservedTime: formatMicroTime(new Date(now)) };
        const write = () =>
          client.patch(Event, before, { merge: { series } }, { permit: writeGate, auditId: about.auditId }).then(() => {});
        before.writing = track(before.writing.then(write), about);
        return;
      }
      if (!takeAllowance(metadata.uid, now)) return;
      forgetOld(now);
      const event = buildEvent(about, now, instance);
      const { name, namespace } = event.metadata;
      const writing = track(
        client.create(Event, event, { permit: writeGate, auditId: about.auditId }).then(() => {}),
        about,
      );
      known.set(key, { name, namespace, count: 1, last: now, writing });
    },
    flush: (limit) =>
      new Promise((resolve) => {
        const timer = clock.setTimeout(resolve, limit);
        const written = Promise.all(pending).then(() => {
          clock.clearTimeout(timer);
          resolve();
        });
        runInBackground(written);
      }),
  };
}

function buildEvent({ controller, kind, object, type, reason, message, annotations }: RecordedEvent, now: number, instance: string) {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const suffix = digest([controller, uid, type, reason, message, now])
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "0");
  const note = message.length > MAX_NOTE_LENGTH ? `${message.slice(0, MAX_NOTE_LENGTH - 1)}…` : message;
  return {
    // Events about cluster-scoped objects are in the namespace "default".
    metadata: { name: `${name.slice(0, MAX_NAME_LENGTH - suffix.length - 1)}.${suffix}`, namespace: namespace ?? "default", annotations },
    eventTime: formatMicroTime(new Date(now)),
    reportingController: controller,
    reportingInstance: instance,
    action: "Reconcile",
    reason,
    type,
    note,
    regarding: { apiVersion: kind.apiVersion, kind: kind.kind, name, namespace, uid, resourceVersion },
  };
}
