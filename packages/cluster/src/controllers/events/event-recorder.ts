import { type Client, NotFound } from "pintle/client";
import type { Clock } from "pintle/internal/clock";
import { runInBackground } from "pintle/internal/errors";
import { formatMicroTime, type KindInfo, type Metadata } from "pintle/kinds";
import { Event } from "pintle/kinds/core/v1";
import { Event as EventsV1Event } from "pintle/kinds/events/v1";
import { formatTimestamp } from "../../api/index.ts";
import { createEventCorrelator, type RecordedSeries } from "./event-correlator.ts";

/** An event to record about an object. */
export interface RecordedEvent {
  /** The reporting component: "deployment-controller". */
  readonly component: string;
  readonly kind: KindInfo;
  readonly object: { readonly metadata: Metadata };
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** The node that reports the event. */
  readonly host?: string | undefined;
  readonly fieldPath?: string | undefined;
  /** The action of an events.k8s.io/v1 Event. If set, the event is written in that version. */
  readonly action?: string | undefined;
  /** The field manager. Default: that of the client. */
  readonly fieldManager?: string | undefined;
}

export interface EventRecorder {
  record(event: RecordedEvent): void;
  /** Resolves when all events recorded so far are written. */
  flush(): Promise<void>;
}

/** The number of concurrent writers, and their number while more than `BACKLOG_LIMIT` events wait: other requests then come first. */
const WRITERS = 16;
const WRITERS_UNDER_BACKLOG = 2;
const BACKLOG_LIMIT = 1024;

export interface EventRecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Returns a function that calls `work` in the scope in which the event was recorded. Default: there are no scopes. */
  readonly bind?: (<T>(work: () => T) => () => T) | undefined;
}

/**
 * Creates a recorder that writes core/v1 Events with counts in the background, as kube-controller-manager does. Events that cannot be
 * written are dropped.
 */
export function createEventRecorder({ client, clock, bind = (work) => work }: EventRecorderOptions): EventRecorder {
  const correlator = createEventCorrelator();
  const nextInstant = createInstantCounter();
  const waiting = createFifoQueue<() => Promise<void>>();
  let running = 0;
  let idle: (() => void)[] = [];

  // Each writer takes one event per iteration of the event loop.
  const runWriter = () => {
    const isBacklogged = waiting.size > BACKLOG_LIMIT && running > WRITERS_UNDER_BACKLOG;
    const next = isBacklogged ? undefined : waiting.shift();
    if (next !== undefined) return runInBackground(next().then(() => setImmediate(runWriter)));
    running--;
    if (running > 0) return;
    for (const done of idle) done();
    idle = [];
  };
  const enqueueWrite = (write: () => Promise<unknown>): Promise<void> =>
    new Promise((resolve) => {
      const finish = () => resolve();
      waiting.push(bind(() => write().then(finish, finish)));
      if (running >= (waiting.size > BACKLOG_LIMIT ? WRITERS_UNDER_BACKLOG : WRITERS)) return;
      running++;
      setImmediate(runWriter);
    });

  return {
    record(recorded) {
      const now = clock.now();
      const event = { ...recorded, object: toObjectReference(recorded.object) };
      const { component, object, type, reason, host = "", fieldPath = "" } = event;
      const aggregateKey = [component, host, object.metadata.uid, fieldPath, type, reason].join("\n");
      const isAggregated = correlator.shouldAggregate(aggregateKey, event.message, now);
      const message = isAggregated ? `(combined from similar events): ${event.message}` : event.message;
      const key = isAggregated ? aggregateKey : `${aggregateKey}\n${message}`;
      const existing = correlator.getSeries(key);
      if (!correlator.isAllowed(`${component}\n${host}\n${object.metadata.uid}`, now)) return;
      if (existing === undefined) {
        const eventKey = buildEventKey(event, nextInstant(now));
        const pendingWrite = enqueueWrite(() => createEvent({ ...event, message }, eventKey, now));
        correlator.putSeries(key, { ...eventKey, count: 1, lastRecordedAt: now, pendingWrite });
      } else updateSeries(existing, { ...event, message }, now);
    },
    flush: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };

  function updateSeries(series: RecordedSeries, event: RecordedEvent, now: number): void {
    series.count++;
    series.lastRecordedAt = now;
    const { count } = series;
    const merge =
      event.action === undefined
        ? { count, message: event.message, lastTimestamp: formatTimestamp(now) }
        : { series: { count, lastObservedTime: formatMicroTime(new Date(now)) } };
    const kind = event.action === undefined ? Event : EventsV1Event;
    series.pendingWrite = series.pendingWrite.then(() =>
      enqueueWrite(() => client.patch(kind as typeof Event, series, { merge }, getWriteOptions(event)).catch(recreateExpired)),
    );
    /** The Event may have expired in the meantime; it is then created again. */
    async function recreateExpired(error: unknown) {
      if (!(error instanceof NotFound)) throw error;
      await createEvent(event, buildEventKey(event, nextInstant(now)), now);
    }
  }
  async function createEvent(event: RecordedEvent, key: EventKey, now: number): Promise<void> {
    const coreEvent = buildCoreEvent(event, key, now);
    if (event.action === undefined) await client.create(Event, coreEvent, getWriteOptions(event));
    else await client.create(EventsV1Event, buildEventsV1Event(event, coreEvent), getWriteOptions(event));
  }
}

function getWriteOptions({ fieldManager }: RecordedEvent) {
  return fieldManager === undefined ? {} : { fieldManager };
}

/** Creates a counter of unique nanosecond timestamps, the suffixes of Event names. */
function createInstantCounter(): (now: number) => string {
  let last = 0n;
  return (now) => {
    const nanos = BigInt(now) * 1_000_000n;
    last = nanos > last ? nanos : last + 1n;
    return last.toString(16);
  };
}

/** Reduces an object to the fields of an object reference, so that waiting events do not retain whole objects. */
function toObjectReference({ metadata: { name, namespace, uid, resourceVersion } }: RecordedEvent["object"]): RecordedEvent["object"] {
  return { metadata: { name, namespace, uid, resourceVersion } as Metadata };
}

interface EventKey {
  readonly name: string;
  readonly namespace: string;
}

/** Events about cluster-scoped objects are written to the namespace "default". */
function buildEventKey({ object: { metadata } }: RecordedEvent, instant: string): EventKey {
  return { name: `${metadata.name}.${instant}`, namespace: metadata.namespace ?? "default" };
}

function buildCoreEvent({ component, kind, object, type, reason, message, host, fieldPath }: RecordedEvent, key: EventKey, now: number) {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const time = formatTimestamp(now);
  return {
    metadata: key,
    involvedObject: { apiVersion: kind.apiVersion, kind: kind.kind, name, namespace, uid, resourceVersion, fieldPath },
    reason,
    message,
    type,
    source: host === undefined ? { component } : { component, host },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    reportingComponent: component,
    reportingInstance: host ?? "",
  };
}

/** Converts a core/v1 Event to events.k8s.io/v1. */
function buildEventsV1Event(
  { component, type, reason, action, host }: RecordedEvent,
  { metadata, involvedObject, message, firstTimestamp }: ReturnType<typeof buildCoreEvent>,
) {
  return {
    metadata,
    regarding: involvedObject,
    eventTime: firstTimestamp.replace("Z", ".000000Z"),
    reportingController: component,
    reportingInstance: `${component}-${host ?? "pintle"}`,
    action,
    type,
    reason,
    note: message,
  };
}

/** A first-in, first-out queue whose `shift` takes constant time, unlike that of an array. */
interface FifoQueue<T> {
  readonly size: number;
  push(item: T): void;
  shift(): T | undefined;
}

const COMPACT_THRESHOLD = 1024;

function createFifoQueue<T>(): FifoQueue<T> {
  let items: (T | undefined)[] = [];
  let first = 0;
  return {
    get size() {
      return items.length - first;
    },
    push(item) {
      items.push(item);
    },
    shift() {
      if (first === items.length) return undefined;
      const item = items[first];
      items[first++] = undefined;
      if (first === items.length || (first >= COMPACT_THRESHOLD && 2 * first > items.length)) {
        items = items.slice(first);
        first = 0;
      }
      return item;
    },
  };
}
