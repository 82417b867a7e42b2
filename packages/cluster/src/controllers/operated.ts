import type { View } from "pintle/cache";
import { type Controller, operate, silent } from "pintle/controller";
import type { Part, Plant } from "./part.ts";

/** Few: everything happens in one process, so more at once is no faster; but changes that come while a key waits are seen together. */
const CONCURRENCY = 4;
const plain = <T>(_name: string, _attributes: unknown, work: () => Promise<T>) => work();

/**
 * A controller in which one kind drives the work, as a part: an ordinary `controller()` whose events read as those of a
 * real one. `views` are others it reads.
 */
export function operated(made: Controller, plant: Plant, views: readonly View<any>[] = []): Part {
  const operation = operate(made, {
    ...plant,
    logger: silent,
    recorder: { announce: ({ controller, ...event }) => plant.events.announce({ component: controller, ...event }) },
    observer: {},
    concurrency: CONCURRENCY,
    gate: () => {},
    trace: plain,
    whole: new Set(),
  });
  return {
    name: made.name,
    ready: Promise.all([operation.synced(), ...views.map((view) => view.synced())]).then(() => operation.start()),
    async stop() {
      await operation.stop();
      await Promise.all(views.map((view) => view.close()));
    },
  };
}
