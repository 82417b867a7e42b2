import { type Client, NotFound } from "pintle/client";
import type { KindFacts, Metadata } from "pintle/kinds";
import { microTime } from "pintle/kinds";
import { Event } from "pintle/kinds/core/v1";
import { Event as NewEvent } from "pintle/kinds/events/v1";
import type { Clock } from "pintle/queue";
import { timestamp } from "../../api/index.ts";
import { line } from "./line.ts";
import { memory, type Series } from "./series.ts";

/** Something worth knowing about an object. */
export interface Announcement {
  /** Who says it: "deployment-controller". */
  readonly component: string;
  readonly kind: KindFacts;
  readonly object: { readonly metadata: Metadata };
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** The node it is said from. */
  readonly host?: string | undefined;
  readonly fieldPath?: string | undefined;
  /** Said by a part that writes Events of the newer kind, which tell what was being done. */
  readonly action?: string | undefined;
  /** Whose field it is, where that is not the client's. */
  readonly manager?: string | undefined;
}

export interface Announcer {
  announce(event: Announcement): void;
  /** Resolves when everything said so far is written. */
  flush(): Promise<void>;
}

/** So many are written at once, and so few while a flood of them waits: then work comes first, and events when it is done. */
const LANES = 16;
const LANES_IN_FLOOD = 2;
const FLOOD = 1024;

/**
 * Writes Events of the older kind, with counts, as the parts of a real control plane do. In the background; what cannot be
 * written is dropped.
 */
export function eventRecorder({ client, clock }: { readonly client: Client; readonly clock: Clock }): Announcer {
  const known = memory();
  const instant = instants();
  const waiting = line<() => Promise<void>>();
  let running = 0;
  let idle: (() => void)[] = [];

  // One in each turn of the event loop and lane.
  const lane = () => {
    const crowded = waiting.size > FLOOD && running > LANES_IN_FLOOD;
    const next = crowded ? undefined : waiting.shift();
    if (next !== undefined) return void next().then(() => setImmediate(lane));
    running--;
    if (running > 0) return;
    for (const done of idle) done();
    idle = [];
  };
  const later = (write: () => Promise<unknown>): Promise<void> =>
    new Promise((resolve) => {
      const done = () => resolve();
      waiting.push(() => write().then(done, done));
      if (running >= (waiting.size > FLOOD ? LANES_IN_FLOOD : LANES)) return;
      running++;
      setImmediate(lane);
    });

  return {
    announce(announced) {
      const now = clock.now();
      const event = { ...announced, object: referenceTo(announced.object) };
      const { component, object, type, reason, host = "", fieldPath = "" } = event;
      const about = [component, host, object.metadata.uid, fieldPath, type, reason].join("\n");
      const many = known.isOneOfMany(about, event.message, now);
      const message = many ? `(combined from similar events): ${event.message}` : event.message;
      const key = many ? about : `${about}\n${message}`;
      const before = known.seriesOf(key);
      if (!known.allows(`${component}\n${host}\n${object.metadata.uid}`, now)) return;
      if (before === undefined) {
        const place = placeOf(event, instant(now));
        const writing = later(() => write({ ...event, message }, place, now));
        known.keep(key, { ...place, count: 1, last: now, writing });
      } else again(before, { ...event, message }, now);
    },
    flush: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };

  function again(series: Series, event: Announcement, now: number): void {
    series.count++;
    series.last = now;
    const { count } = series;
    const merge =
      event.action === undefined
        ? { count, message: event.message, lastTimestamp: timestamp(now) }
        : { series: { count, lastObservedTime: microTime(new Date(now)) } };
    const kind = event.action === undefined ? Event : NewEvent;
    series.writing = series.writing.then(() =>
      later(() => client.patch(kind as typeof Event, series, { merge }, managed(event)).catch(expired)),
    );
    /** The Event may have expired since. */
    async function expired(error: unknown) {
      if (!(error instanceof NotFound)) throw error;
      await write(event, placeOf(event, instant(now)), now);
    }
  }
  async function write(event: Announcement, place: Place, now: number): Promise<void> {
    const made = eventOf(event, place, now);
    if (event.action === undefined) await client.create(Event, made, managed(event));
    else await client.create(NewEvent, newEventOf(event, made), managed(event));
  }
}

function managed({ manager }: Announcement) {
  return manager === undefined ? {} : { fieldManager: manager };
}

/** Nanoseconds that never repeat: they end the names of Events. */
function instants(): (now: number) => string {
  let last = 0n;
  return (now) => {
    const nanos = BigInt(now) * 1_000_000n;
    last = nanos > last ? nanos : last + 1n;
    return last.toString(16);
  };
}

/** Of an object, what an event says about it: many wait to be written, and should not keep all there is. */
function referenceTo({ metadata: { name, namespace, uid, resourceVersion } }: Announcement["object"]): Announcement["object"] {
  return { metadata: { name, namespace, uid, resourceVersion } as Metadata };
}

interface Place {
  readonly name: string;
  readonly namespace: string;
}

/** Events about what has no namespace live in "default". */
function placeOf({ object: { metadata } }: Announcement, instant: string): Place {
  return { name: `${metadata.name}.${instant}`, namespace: metadata.namespace ?? "default" };
}

function eventOf({ component, kind, object, type, reason, message, host, fieldPath }: Announcement, place: Place, now: number) {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const time = timestamp(now);
  return {
    metadata: place,
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

/** The same in the newer form. */
function newEventOf(
  { component, type, reason, action, host }: Announcement,
  { metadata, involvedObject, message, firstTimestamp }: ReturnType<typeof eventOf>,
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
