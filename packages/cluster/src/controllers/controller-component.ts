import type { CachedView } from "pintle/internal/cache";
import { type Controller, silentLogger, startController } from "pintle/internal/controller";
import type { ControllerContext, ControlPlaneComponent } from "./component.ts";

/** Few: all work happens in one process, so more workers are no faster, and events that arrive while a key waits are merged. */
const CONCURRENCY = 4;
const untraced = <T>(_name: string, _options: unknown, work: (span: undefined) => Promise<T>) => work(undefined);

/** Starts a `controller()` as a component, with the Events of kube-controller-manager. `views` are further caches that it reads. */
export function startControllerComponent(
  controller: Controller,
  context: ControllerContext,
  views: readonly CachedView<any>[] = [],
): ControlPlaneComponent {
  const running = startController(controller, {
    ...context,
    logger: silentLogger,
    recorder: { recordEvent: ({ controller, ...event }) => context.events.record({ component: controller, ...event }) },
    // The controllers of kube-controller-manager record only Events of their own.
    reportFailures: false,
    observer: {},
    concurrency: CONCURRENCY,
    writeGate: () => {},
    trace: untraced,
    unfilteredKinds: new Set(),
    // There are many, and each sees every event: the causes of their runs are enough.
    recordsEnqueues: false,
  });
  return {
    name: controller.name,
    ready: Promise.all([running.waitForSync(), ...views.map((view) => view.waitForSync())]).then(() => running.startWorkers()),
    async stop() {
      await running.stop();
      await Promise.all(views.map((view) => view.close()));
    },
  };
}
