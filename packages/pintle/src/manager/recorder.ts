import type { Client } from "../client/index.ts";
import { type Announcement, type Logger, NotLeading, type Recorder } from "../controller/index.ts";
import { Event } from "../kinds/generated/events/v1.ts";
import { microTime } from "../kinds/index.ts";
import { digest } from "../merge/index.ts";
import type { Clock } from "../queue/index.ts";

export interface RecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Who reports: the pod, or the host. */
  readonly instance: string;
  /** Throws when nothing may be written any more. */
  readonly permit: () => void;
}

export interface EventRecorder extends Recorder {
  /** Resolves when all that was said is written, or after so many milliseconds: a server that does not answer is not waited for. */
  flush(limit: number): Promise<void>;
}

interface Series {
  readonly name: string;
  readonly namespace: string;
  count: number;
  last: number;
  /** Writes of one event follow each other. */
  writing: Promise<void>;
}

/** The same thing said again within this time is counted on the Event that is there. */
const SERIES = 6 * 60_000;
/** An object may say so many things at once, and one more every so often. */
const BURST = 25;
const REFILL = 5 * 60_000;
const LONGEST_NOTE = 1024;
const LONGEST_NAME = 253;

/** Writes Kubernetes Events in the background; repeated ones become a series. What cannot be written is logged and dropped. */
export function recorder({ client, clock, logger, instance, permit }: RecorderOptions): EventRecorder {
  const known = new Map<string, Series>();
  const allowances = new Map<string, { left: number; at: number }>();
  const pending = new Set<Promise<void>>();

  const allowed = (uid: string, now: number) => {
    const allowance = allowances.get(uid) ?? { left: BURST, at: now };
    const refilled = Math.floor((now - allowance.at) / REFILL);
    const left = Math.min(BURST, allowance.left + refilled);
    allowances.set(uid, { left: Math.max(0, left - 1), at: allowance.at + refilled * REFILL });
    return left > 0;
  };
  const forgetOld = (now: number) => {
    for (const [key, { last }] of known) if (now - last > SERIES) known.delete(key);
    for (const [uid, { at }] of allowances) if (now - at > BURST * REFILL) allowances.delete(uid);
  };
  const track = (work: Promise<void>, about: Announcement): Promise<void> => {
    const safe = work.catch((error) => {
      if (!(error instanceof NotLeading)) logger.warn("an event could not be written", { reason: about.reason, error });
    });
    pending.add(safe);
    return safe.finally(() => pending.delete(safe));
  };

  return {
    announce(about) {
      const now = clock.now();
      const { metadata } = about.object;
      const key = [about.controller, metadata.uid, about.type, about.reason, about.message].join("\n");
      const before = known.get(key);
      if (before !== undefined && now - before.last <= SERIES) {
        before.count++;
        before.last = now;
        const series = { count: before.count, lastObservedTime: microTime(new Date(now)) };
        const write = () => client.patch(Event, before, { merge: { series } }, { permit }).then(() => {});
        before.writing = track(before.writing.then(write), about);
        return;
      }
      if (!allowed(metadata.uid, now)) return;
      forgetOld(now);
      const event = eventOf(about, now, instance);
      const { name, namespace } = event.metadata;
      const writing = track(
        client.create(Event, event, { permit }).then(() => {}),
        about,
      );
      known.set(key, { name, namespace, count: 1, last: now, writing });
    },
    flush: (limit) =>
      new Promise((resolve) => {
        const timer = clock.setTimeout(resolve, limit);
        void Promise.all(pending).then(() => {
          clock.clearTimeout(timer);
          resolve();
        });
      }),
  };
}

function eventOf({ controller, kind, object, type, reason, message, annotations }: Announcement, now: number, instance: string) {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const suffix = digest([controller, uid, type, reason, message, now])
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "0");
  const note = message.length > LONGEST_NOTE ? `${message.slice(0, LONGEST_NOTE - 1)}…` : message;
  return {
    // Events about what has no namespace live in "default".
    metadata: { name: `${name.slice(0, LONGEST_NAME - suffix.length - 1)}.${suffix}`, namespace: namespace ?? "default", annotations },
    eventTime: microTime(new Date(now)),
    reportingController: controller,
    reportingInstance: instance,
    action: "Reconcile",
    reason,
    type,
    note,
    regarding: { apiVersion: kind.apiVersion, kind: kind.kind, name, namespace, uid, resourceVersion },
  };
}
