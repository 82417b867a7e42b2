import { type Announcement, type Controller, isSettled, type Logger, operate, type Plan, silent } from "../controller/index.ts";
import type { Child, JsonObject, KindFacts, ReadOf } from "../kinds/index.ts";
import { seeded, type VirtualClock, virtualClock } from "../queue/index.ts";
import { cacheOf } from "./cache-of.ts";
import { clientOf } from "./client-of.ts";
import { mergePatch } from "./merge-patch.ts";
import { objects, type Ref } from "./objects.ts";

/** An object to begin with: what `Kind.desired()` makes, or `given()`: a kind and a body with whatever state the test needs. */
export type Fixture = Child | readonly [kind: KindFacts, body: object];

export interface Simulation {
  /** Plans that were carried out, in order; a settled controller makes none. */
  readonly plans: readonly Plan[];
  /** Kubernetes Events that were announced. */
  readonly events: readonly Announcement[];
  readonly clock: VirtualClock;
  get<K extends KindFacts & { readonly "~": unknown }>(kind: K, ref: Ref): ReadOf<K> | undefined;
  list<K extends KindFacts & { readonly "~": unknown }>(kind: K): readonly ReadOf<K>[];
  /** Somebody else changes or makes an object; resolves when the controller is at rest again. */
  put(fixture: Fixture): Promise<void>;
  remove(kind: KindFacts, ref: Ref): Promise<void>;
  /** Lets time pass, for `requeueAfter` and retries. */
  advance(ms: number): Promise<void>;
}

/** The namespace of fixtures that do not say one. */
const NAMESPACE = "default";

/**
 * Runs a controller on a few objects until it has nothing left to do: no server, no network, no time.
 *
 * ```ts
 * const sim = await simulate(memcached, [Memcached.desired({ metadata: { name: "a" }, spec: { size: 3 } })]);
 * expect(sim.get(Deployment, { name: "a", namespace: "default" })?.spec.replicas).toBe(3);
 * ```
 *
 * Guarantees: the same runtime as in a cluster decides, plans and applies. Rejects with what `reconcile` throws, and with
 * an Oscillation naming the fields that differ when it never comes to rest.
 * Caveats: nobody else is there. No Deployment becomes ready and nothing is garbage-collected unless the test says so, and
 * built-in kinds get no server defaults. For that there is `@pintle/cluster`.
 */
export async function simulate(
  controller: Controller,
  fixtures: readonly Fixture[],
  options: { readonly logger?: Logger; readonly seed?: number } = {},
): Promise<Simulation> {
  const clock = virtualClock();
  const kept = objects(clock);
  const cache = cacheOf(kept);
  const plans: Plan[] = [];
  const events: Announcement[] = [];
  let failure: { readonly error: unknown } | undefined;

  const put = (fixture: Fixture) => {
    const [kind, body] = isChild(fixture) ? [fixture.kind, fixture.object] : fixture;
    const metadata = (body as JsonObject)["metadata"] as JsonObject & Ref;
    const ref = kind.scope === "Cluster" ? metadata : { namespace: NAMESPACE, ...metadata };
    kept.store(kind, mergePatch(kept.find(kind, ref), { ...body, metadata: ref }) as JsonObject);
    cache.look(kind, ref);
  };
  for (const fixture of fixtures) put(fixture);

  const operation = operate(controller, {
    client: clientOf(kept),
    cache,
    clock,
    random: seeded(options.seed ?? 1),
    logger: failing(options.logger ?? silent, (error) => {
      failure ??= { error };
    }),
    recorder: { announce: (event) => void events.push(event) },
    observer: {
      planned(_, plan) {
        if (!isSettled(plan)) plans.push(plan);
      },
    },
    concurrency: 1,
    gate: () => {},
    trace: (_name, _attributes, work) => work(),
    whole: new Set([
      controller.kind.id,
      ...controller.owns.map(({ id }) => id),
      ...Object.values(controller.watches).map(({ kind }) => kind.id),
    ]),
  });
  operation.start();

  const rest = async () => {
    await clock.settle();
    const failed = failure;
    failure = undefined;
    if (failed !== undefined) {
      await operation.stop();
      throw failed.error;
    }
  };
  await rest();
  return {
    plans,
    events,
    clock,
    get: (kind, ref) => kept.find(kind, ref) as never,
    list: (kind) => kept.list(kind) as never,
    async put(fixture) {
      put(fixture);
      await rest();
    },
    async remove(kind, ref) {
      kept.erase(kind, ref);
      cache.look(kind, ref);
      await rest();
    },
    async advance(ms) {
      await clock.advance(ms);
      await rest();
    },
  };
}

const isChild = (fixture: Fixture): fixture is Child => !Array.isArray(fixture);

/** Passes everything on, and hears of errors: in a simulation there is nobody to retry for. */
function failing(logger: Logger, failed: (error: unknown) => void): Logger {
  return {
    ...logger,
    error(message, fields) {
      if (fields?.["error"] !== undefined) failed(fields["error"]);
      logger.error(message, fields);
    },
    with: (fields) => failing(logger.with(fields), failed),
  };
}
