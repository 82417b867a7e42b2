import { AlreadyExists, type Client } from "../client/index.ts";
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
  /** How often the event occurred before this process recorded it first. */
  earlier: number;
  /** How often this process has recorded it. */
  count: number;
  last: number;
  /** The last write of the series: writes of one Event are sequential. */
  writing: Promise<void>;
}

/** The same event within this time increments the count of the series without a create, and without taking from the allowance. */
const SERIES_WINDOW_MS = 6 * 60_000;
/** Token bucket per object: a burst, then one event per refill interval. */
const EVENT_BURST = 25;
const EVENT_REFILL_MS = 5 * 60_000;
const MAX_NOTE_LENGTH = 1024;
const MAX_NAME_LENGTH = 253;

/**
 * Creates a recorder that writes Kubernetes Events in the background. Repeated events become a series, also one that an earlier process began, because the
 * name of an Event follows from what it says. An event that cannot be written is logged and dropped.
 */
export function createEventRecorder({ client, clock, logger, instance, writeGate }: EventRecorderOptions): BackgroundEventRecorder {
  const recent = new Map<string, EventSeries>();
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
    for (const [key, { last }] of recent) if (now - last > SERIES_WINDOW_MS) recent.delete(key);
    for (const [uid, { at }] of allowances) if (now - at > EVENT_BURST * EVENT_REFILL_MS) allowances.delete(uid);
  };
  const track = (work: Promise<void>, about: RecordedEvent): Promise<void> => {
    const safe = work.catch((error) => {
      if (!(error instanceof NotLeading)) logger.warn("Failed to record event", { reason: about.reason, error });
    });
    pending.add(safe);
    return safe.finally(() => pending.delete(safe));
  };

  const writeCount = async (series: EventSeries, nth: number, now: number, auditId: string | undefined): Promise<void> => {
    const count = series.earlier + nth;
    const merge = { series: { count, lastObservedTime: formatMicroTime(new Date(now)) } };
    await client.patch(Event, series, { merge }, { permit: writeGate, auditId });
  };
  const begin = async (series: EventSeries, about: RecordedEvent, now: number): Promise<void> => {
    const { auditId } = about;
    try {
      await client.create(Event, buildEvent(about, series, now, instance), { permit: writeGate, auditId });
    } catch (error) {
      if (!(error instanceof AlreadyExists)) throw error;
      // Operators may patch Events and not read them: an empty patch returns the Event.
      const { series: before } = await client.patch(Event, series, { merge: {} }, { permit: writeGate });
      series.earlier = before?.count ?? 1;
      await writeCount(series, 1, now, auditId);
    }
  };

  return {
    recordEvent(about) {
      const now = clock.now();
      const { metadata } = about.object;
      const key = [about.controller, metadata.uid, about.type, about.reason, about.message].join("\n");
      const known = recent.get(key);
      const isRepeated = known !== undefined && now - known.last <= SERIES_WINDOW_MS;
      if (!isRepeated && !takeAllowance(metadata.uid, now)) return;
      if (!isRepeated) forgetOld(now);
      const series = isRepeated ? known : { ...nameOf(about), earlier: 0, count: 0, last: now, writing: Promise.resolve() };
      recent.set(key, series);
      series.last = now;
      const nth = ++series.count;
      const write = () => (nth === 1 ? begin(series, about, now) : writeCount(series, nth, now, about.auditId));
      series.writing = track(series.writing.then(write), about);
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

/** Returns the name of an Event: the same for the same event about the same object. */
function nameOf({ controller, object, type, reason, message }: RecordedEvent): { readonly name: string; readonly namespace: string } {
  const { name, namespace, uid } = object.metadata;
  const suffix = digest([controller, uid, type, reason, message])
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "0");
  // Events about cluster-scoped objects are in the namespace "default".
  return { name: `${name.slice(0, MAX_NAME_LENGTH - suffix.length - 1)}.${suffix}`, namespace: namespace ?? "default" };
}

function buildEvent(about: RecordedEvent, at: Pick<EventSeries, "name" | "namespace">, now: number, instance: string) {
  const { controller, kind, object, type, reason, message, annotations } = about;
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const note = message.length > MAX_NOTE_LENGTH ? `${message.slice(0, MAX_NOTE_LENGTH - 1)}…` : message;
  return {
    metadata: { name: at.name, namespace: at.namespace, annotations },
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
