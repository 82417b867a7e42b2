import { writesThrough } from "../cache/index.ts";
import { aborter, LISTED, type Queue, queue, type Reason } from "../queue/index.ts";
import type { Controller } from "./controller.ts";
import { daemons } from "./daemons.ts";
import type { Memory } from "./decide.ts";
import { openEyes } from "./eyes.ts";
import { keyOf } from "./names.ts";
import { removeOrphans } from "./orphans.ts";
import type { Plant } from "./plant.ts";
import { runner } from "./run.ts";
import { runClient } from "./run-client.ts";
import { runs } from "./runs.ts";
import { every, follow } from "./source.ts";
import { wakes } from "./wakes.ts";

/** A controller at work. */
export interface Operation {
  readonly controller: Controller;
  readonly queue: Queue;
  /** Changes whose mapping threw and that wait to be mapped again. */
  readonly unmapped: number;
  /** What has not been listed yet, and why. */
  unsynced(): readonly string[];
  /** Resolves when everything it looks at has been listed. */
  synced(signal?: AbortSignal): Promise<void>;
  /** Works from now on; before, wakes only gather. */
  start(): void;
  /** Finishes what runs and takes up nothing more, until `start`. */
  pause(grace?: number): Promise<void>;
  /** As `pause`, and lets go of everything. Resolves with the keys that ran on past the grace. */
  stop(grace?: number): Promise<readonly string[]>;
}

/** Puts a controller on a cache and a queue. Wakes gather at once; `start` begins to work on them. */
export function operate(controller: Controller, plant: Plant): Operation {
  const { clock, observer, random } = plant;
  const logger = plant.logger.with({ controller: controller.name });
  const memories = new Map<string, Memory>();
  const over = aborter();
  const background = new Set<Promise<void>>();
  const eyes = openEyes(controller, plant);
  const work = queue({
    clock,
    concurrency: controller.concurrency ?? plant.concurrency,
    observer: observer.queue?.(controller.name),
    work: (item, signal) => run(item, signal),
  });
  const underWay = runs(work);
  const beside = daemons({
    controller,
    plant,
    primary: eyes.primary,
    wake: (key, source) => work.add(key, { reason: { event: "external", source } }),
  });
  const run = runner({ controller, plant, eyes, memories, runs: underWay, daemons: beside });

  const incoming = wakes(controller, plant, underWay);
  for (const ear of eyes.ears) incoming.listen(ear);
  const wakeAll = (reason: Reason) => {
    if (eyes.primary.isSynced) for (const { metadata } of eyes.primary.list()) work.add(keyOf(metadata), { priority: LISTED, reason });
  };
  for (const { kind, view } of eyes.owned.values()) {
    // Children may have waited for their kind to be installed.
    if (kind.optional === true) view.onListed(() => wakeAll({ event: "external", source: `${kind.kind} is served` }));
    view.on(({ old, new: now }) => {
      if (now === undefined && old !== undefined) memories.delete(old.metadata.uid);
    });
  }

  const tended = Object.keys(controller.daemons).length > 0;
  if (tended)
    eyes.primary.on(({ old, new: now }) => {
      // Somebody took the finalizer off.
      if (now === undefined && old !== undefined) void beside.dismiss(old.metadata.uid);
    });
  let begun = false;

  const inBackground = (what: string, doing: Promise<unknown>) => {
    const safe = doing.then(
      () => {},
      (error) => {
        if (!over.signal.aborted) logger.error(what, { error });
      },
    );
    background.add(safe);
    void safe.finally(() => background.delete(safe));
  };
  for (const [name, source] of Object.entries(controller.sources)) {
    const failed = (error: unknown) => logger.error("an event source failed and is started again", { source: name, error });
    const heard = (at: Parameters<typeof keyOf>[0]) => work.add(keyOf(at), { reason: { event: "external", source: name } });
    inBackground("an event source ended", follow(source, { clock, random, signal: over.signal, failed }, heard));
  }
  if (controller.resync !== undefined)
    inBackground(
      "no more resyncs",
      every(clock, controller.resync, over.signal, () => wakeAll({ event: "resync" })),
    );
  const sweep = async () => {
    if (![...eyes.owned.values()].some(({ apart }) => apart)) return;
    const through = writesThrough(plant.client, plant.cache);
    const client = runClient(through, { signal: over.signal, fieldManager: controller.name, gate: plant.gate });
    const removed = await removeOrphans(controller, eyes, client);
    if (removed > 0) logger.info("children whose owner is gone were deleted", { removed });
  };

  return {
    controller,
    queue: work,
    get unmapped() {
      return incoming.waiting;
    },
    unsynced: () =>
      eyes.views.flatMap(({ kind, view }) =>
        view
          .health()
          .filter(({ synced }) => !synced)
          .map(({ problem }) => problem?.message ?? `${kind.kind}: no answer yet`),
      ),
    async synced(signal) {
      await Promise.all(eyes.views.map(({ view }) => view.synced(signal)));
    },
    start() {
      incoming.start();
      work.start();
      // Leading again: their daemons ended with the last mandate.
      if (begun && tended) wakeAll({ event: "resync" });
      begun = true;
      inBackground("children whose owner is gone could not be deleted", sweep());
    },
    async pause(grace) {
      await Promise.all([work.pause(grace), beside.dismissAll()]);
    },
    async stop(grace) {
      over.abort(new Error("the controller has been stopped"));
      await incoming.stop();
      const late = await work.stop(grace);
      await beside.dismissAll();
      await Promise.all([...background, ...eyes.views.map(({ view }) => view.close())]);
      return late;
    },
  };
}
