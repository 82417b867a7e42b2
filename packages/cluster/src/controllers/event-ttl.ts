import { NotFound } from "pintle/client";
import type { Timer } from "pintle/internal/clock";
import { Event } from "pintle/kinds/core/v1";
import type { ControllerContext, ControlPlaneComponent } from "./component.ts";

/** How long an Event is kept after its last update. */
const TTL = 3_600_000;
/** Events that expire within this time are deleted in one batch. */
const BATCH_WINDOW = 60_000;

/** Starts the controller that deletes Events after an hour. It watches nothing: an Event can expire no earlier than an hour from now. */
export function startEventTtlController({ client, clock }: ControllerContext): ControlPlaneComponent {
  let timer: Timer | undefined;
  let stopped = false;
  let deleting = Promise.resolve();

  const deleteExpired = async (): Promise<number> => {
    const now = clock.now();
    let next = now + TTL;
    for (const event of (await client.list(Event)).items) {
      const at = getLastTimestamp(event) + TTL;
      if (at > now + BATCH_WINDOW) next = Math.min(next, at);
      else if (!stopped) await deleteEvent(event);
    }
    return next;
  };
  const deleteEvent = async ({ metadata }: Event) => {
    try {
      await client.delete(Event, metadata, { uid: metadata.uid });
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
  };
  const schedule = (at: number) => {
    if (stopped) return;
    timer = clock.setTimeout(
      () => {
        deleting = deleteExpired().then(schedule, () => schedule(clock.now() + BATCH_WINDOW));
      },
      Math.max(BATCH_WINDOW, at - clock.now()),
    );
  };
  return {
    name: "event-ttl",
    ready: deleteExpired().then(schedule),
    async stop() {
      stopped = true;
      clock.clearTimeout(timer);
      await deleting;
    },
  };
}

function getLastTimestamp({ metadata, lastTimestamp, series, eventTime }: Event): number {
  return Date.parse(lastTimestamp ?? series?.lastObservedTime ?? eventTime ?? metadata.creationTimestamp);
}
