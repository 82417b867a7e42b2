import { NotFound } from "pintle/client";
import { Event } from "pintle/kinds/core/v1";
import type { Timer } from "pintle/queue";
import type { Part, Plant } from "../part.ts";

/** How long an event is remembered after it was last written. */
const TTL = 3_600_000;
/** Events that expire within this time go together. */
const TOGETHER = 60_000;

/** Forgets events when they are an hour old. Nothing is watched: no event can expire sooner than an hour from now. */
export function eventTtl({ client, clock }: Plant): Part {
  let timer: Timer | undefined;
  let stopped = false;
  let sweeping = Promise.resolve();

  const sweep = async (): Promise<number> => {
    const now = clock.now();
    let next = now + TTL;
    for (const event of (await client.list(Event)).items) {
      const at = lastSaid(event) + TTL;
      if (at > now + TOGETHER) next = Math.min(next, at);
      else if (!stopped) await forget(event);
    }
    return next;
  };
  const forget = async ({ metadata }: Event) => {
    try {
      await client.delete(Event, metadata, { uid: metadata.uid });
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
  };
  const later = (at: number) => {
    if (stopped) return;
    timer = clock.setTimeout(
      () => {
        sweeping = sweep().then(later, () => later(clock.now() + TOGETHER));
      },
      Math.max(TOGETHER, at - clock.now()),
    );
  };
  return {
    name: "event-ttl",
    ready: sweep().then(later),
    async stop() {
      stopped = true;
      clock.clearTimeout(timer);
      await sweeping;
    },
  };
}

function lastSaid({ metadata, lastTimestamp, series, eventTime }: Event): number {
  return Date.parse(lastTimestamp ?? series?.lastObservedTime ?? eventTime ?? metadata.creationTimestamp);
}
