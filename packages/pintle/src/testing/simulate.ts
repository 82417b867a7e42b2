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
  unwrapDesiredState,
} from "../controller/index.ts";
import type { JsonObject } from "../json/index.ts";
import type { Child, KindInfo, ObjectOf } from "../kinds/index.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { createSimulatedCache } from "./simulated-cache.ts";
import { createSimulatedClient } from "./simulated-client.ts";
import { createSimulatedStore, toKey } from "./simulated-store.ts";

/** An initial object of a simulation: the result of `Kind.desired()`, or of `objectFixture()` for an object with a status or other server state. */
export type Fixture = Child | readonly [kind: KindInfo, body: object];

/** A running simulation; see `simulate()`. */
export interface Simulation {
  /** The executed plans in order; a settled controller adds none. */
  readonly plans: readonly Plan[];
  /** Returns the last plan of an object, also if it writes nothing: what is up to date, and what each waiting child waits for. */
  lastPlan(ref: NamespacedName): Plan | undefined;
  /** The recorded Kubernetes Events. */
  readonly events: readonly RecordedEvent[];
  /** The clock of the controller; `advance` of the simulation also rejects if the controller fails. */
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

/** Options of `simulate()`. */
export interface SimulationOptions {
  /** The clock of the controller, of its `now` and of timestamps: `virtualClock("2026-03-29T01:59:00Z")`. Default: a virtual clock at 2026-01-01T00:00:00Z. */
  readonly clock?: VirtualClock | undefined;
  /** Default: logs nothing. */
  readonly logger?: Logger | undefined;
  /** The seed of the backoff of retries. Default: 1. */
  readonly seed?: number | undefined;
}

/** The namespace of fixtures without one. */
const NAMESPACE = "default";

/**
 * Runs a controller on objects in memory until it settles: no server, no network, virtual time.
 *
 * ## Guarantees
 *
 * - The same runtime as in a cluster reconciles, plans and executes.
 * - Rejects with an error that `reconcile` or `finalize` throws, and with `Oscillation`, naming the fields that differ, if the controller does not settle. A `failure` that
 *   `reconcile` returns with `want()` is reported on the object and in `events`, as in a cluster, and retried by `advance`.
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
  { clock = virtualClock(), logger = silentLogger, seed = 1 }: SimulationOptions = {},
): Promise<Simulation> {
  const store = createSimulatedStore(clock);
  const cache = createSimulatedCache(store);
  const plans: Plan[] = [];
  const lastPlans = new Map<string, Plan>();
  const events: RecordedEvent[] = [];
  const returnedFailures = new WeakSet<object>();
  let failure: { readonly error: unknown } | undefined;

  const put = (fixture: Fixture) => {
    const [kind, body] = isChild(fixture) ? [fixture.kind, fixture.object] : fixture;
    const metadata = (body as JsonObject)["metadata"] as JsonObject & NamespacedName;
    const ref = kind.scope === "Cluster" ? metadata : { namespace: NAMESPACE, ...metadata };
    store.store(kind, applyMergePatch(store.find(kind, ref), { ...body, metadata: ref }) as JsonObject);
    cache.notifyChange(kind, ref);
  };
  for (const fixture of fixtures) put(fixture);

  const running = startController(trackReturnedFailures(controller, returnedFailures), {
    client: createSimulatedClient(store),
    cache,
    clock,
    random: seededRandom(seed),
    logger: reportErrors(logger, (error) => {
      if (!(error instanceof Error && returnedFailures.has(error))) failure ??= { error };
    }),
    recorder: { recordEvent: (event) => void events.push(event) },
    observer: {
      onPlan(_, plan, object) {
        if (!isPlanSettled(plan)) plans.push(plan);
        lastPlans.set(toKey(object), plan);
      },
    },
    concurrency: 1,
    writeGate: () => {},
    trace: (_name, _options, work) => work(undefined),
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
    lastPlan: (ref) => lastPlans.get(toKey(controller.kind.scope === "Cluster" ? ref : { namespace: NAMESPACE, ...ref })),
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

/** Returns the controller; failures that its `reconcile` returns are added to `failures`. */
function trackReturnedFailures(controller: Controller, failures: WeakSet<object>): Controller {
  return {
    ...controller,
    async reconcile(context) {
      const returned = await controller.reconcile(context);
      const failure = unwrapDesiredState(returned)?.failure;
      if (failure !== undefined) failures.add(failure);
      return returned;
    },
  };
}

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
