import { seededRandom, type VirtualClock, virtualClock } from "../clock/index.ts";
import {
  type Controller,
  isPlanSettled,
  type Logger,
  type NamespacedName,
  type Plan,
  type RecordedEvent,
  silentLogger,
  startController,
} from "../controller/index.ts";
import type { JsonObject } from "../json/index.ts";
import type { Child, KindInfo, ObjectOf } from "../kinds/index.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { createSimulatedCache } from "./simulated-cache.ts";
import { createSimulatedClient } from "./simulated-client.ts";
import { createSimulatedStore } from "./simulated-store.ts";

/** An initial object of a simulation: the result of `Kind.desired()`, or of `objectFixture()` for an object with a status or other server state. */
export type Fixture = Child | readonly [kind: KindInfo, body: object];

/** A running simulation; see `simulate()`. */
export interface Simulation {
  /** The executed plans in order; a settled controller adds none. */
  readonly plans: readonly Plan[];
  /** The recorded Kubernetes Events. */
  readonly events: readonly RecordedEvent[];
  readonly clock: VirtualClock;
  /** Returns an object, or `undefined`. */
  get<K extends KindInfo & { readonly "~": unknown }>(kind: K, ref: NamespacedName): ObjectOf<K> | undefined;
  /** Lists all objects of a kind. */
  list<K extends KindInfo & { readonly "~": unknown }>(kind: K): readonly ObjectOf<K>[];
  /** Creates or changes an object as another client would. Resolves when the controller has settled. */
  put(fixture: Fixture): Promise<void>;
  /** Deletes an object as another client would. Resolves when the controller has settled. */
  delete(kind: KindInfo, ref: NamespacedName): Promise<void>;
  /** Advances time, for `requeueAfter` and retries. Resolves when the controller has settled. */
  advance(ms: number): Promise<void>;
}

/** The namespace of fixtures without one. */
const NAMESPACE = "default";

/**
 * Runs a controller on objects in memory until it settles: no server, no network, virtual time.
 *
 * ## Guarantees
 *
 * - The same runtime as in a cluster reconciles, plans and executes.
 * - Rejects with the error of `reconcile`, and with `Oscillation`, naming the fields that differ, if the controller does not settle.
 * - Deterministic: the same fixtures and seed give the same plans.
 *
 * ## Caveats
 *
 * - No other controllers run: no Deployment becomes ready and nothing is garbage-collected unless the test does it with `put` and `delete`.
 * - Built-in kinds get no server defaults. Use `@pintle/cluster` for both.
 *
 * @example
 * ```ts
 * import { controller, defineResource, z } from "pintle";
 * import { ConfigMap } from "pintle/kinds/core/v1";
 * import { simulate } from "pintle/testing";
 *
 * const Greeting = defineResource({ group: "example.com", version: "v1", kind: "Greeting", spec: z.object({ text: z.string() }) });
 * const greeting = controller(Greeting, {
 *   owns: [ConfigMap],
 *   reconcile: ({ object, want }) =>
 *     want({ children: { config: ConfigMap.desired({ metadata: { name: object.metadata.name }, data: object.spec }) } }),
 * });
 *
 * const simulation = await simulate(greeting, [Greeting.desired({ metadata: { name: "a" }, spec: { text: "hello" } })]);
 * console.log(simulation.get(ConfigMap, { name: "a", namespace: "default" })?.data);
 * ```
 */
export async function simulate(
  controller: Controller,
  fixtures: readonly Fixture[],
  options: { readonly logger?: Logger; readonly seed?: number } = {},
): Promise<Simulation> {
  const clock = virtualClock();
  const store = createSimulatedStore(clock);
  const cache = createSimulatedCache(store);
  const plans: Plan[] = [];
  const events: RecordedEvent[] = [];
  let failure: { readonly error: unknown } | undefined;

  const put = (fixture: Fixture) => {
    const [kind, body] = isChild(fixture) ? [fixture.kind, fixture.object] : fixture;
    const metadata = (body as JsonObject)["metadata"] as JsonObject & NamespacedName;
    const ref = kind.scope === "Cluster" ? metadata : { namespace: NAMESPACE, ...metadata };
    store.store(kind, applyMergePatch(store.find(kind, ref), { ...body, metadata: ref }) as JsonObject);
    cache.notifyChange(kind, ref);
  };
  for (const fixture of fixtures) put(fixture);

  const running = startController(controller, {
    client: createSimulatedClient(store),
    cache,
    clock,
    random: seededRandom(options.seed ?? 1),
    logger: reportErrors(options.logger ?? silentLogger, (error) => {
      failure ??= { error };
    }),
    recorder: { recordEvent: (event) => void events.push(event) },
    observer: {
      onPlan(_, plan) {
        if (!isPlanSettled(plan)) plans.push(plan);
      },
    },
    concurrency: 1,
    writeGate: () => {},
    trace: (_name, _attributes, work) => work(),
    reportFailures: true,
    unfilteredKinds: new Set([
      controller.kind.id,
      ...controller.owns.map(({ id }) => id),
      ...Object.values(controller.watches).map(({ kind }) => kind.id),
    ]),
  });
  running.startWorkers();

  const waitUntilSettled = async () => {
    await clock.settle();
    const failed = failure;
    failure = undefined;
    if (failed !== undefined) {
      await running.stop();
      throw failed.error;
    }
  };
  await waitUntilSettled();
  return {
    plans,
    events,
    clock,
    get: (kind, ref) => store.find(kind, ref) as never,
    list: (kind) => store.list(kind) as never,
    async put(fixture) {
      put(fixture);
      await waitUntilSettled();
    },
    async delete(kind, ref) {
      store.delete(kind, ref);
      cache.notifyChange(kind, ref);
      await waitUntilSettled();
    },
    async advance(ms) {
      await clock.advance(ms);
      await waitUntilSettled();
    },
  };
}

const isChild = (fixture: Fixture): fixture is Child => !Array.isArray(fixture);

/** Returns a logger that also reports logged errors: a simulation fails instead of retrying. */
function reportErrors(logger: Logger, failed: (error: unknown) => void): Logger {
  return {
    ...logger,
    error(message, fields) {
      if (fields?.["error"] !== undefined) failed(fields["error"]);
      logger.error(message, fields);
    },
    with: (fields) => reportErrors(logger.with(fields), failed),
  };
}
