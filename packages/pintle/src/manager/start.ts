import { hostname } from "node:os";
import { type Cache, cache, type WatchHealth } from "../cache/index.ts";
import type { Client } from "../client/index.ts";
import {
  type Controller,
  type ControllerObserver,
  isBug,
  milliseconds,
  type Operation,
  operate,
  type Recorder,
} from "../controller/index.ts";
import { aborter, systemClock } from "../queue/index.ts";
import type { Serving } from "../webhook/index.ts";
import { candidate, type Leadership, unopposed } from "./candidate.ts";
import type { Listening } from "./listen.ts";
import { stderrLogger } from "./log-lines.ts";
import { type LoopLag, loopLag } from "./loop-lag.ts";
import { type Metrics, metrics } from "./metrics.ts";
import type { StartOptions } from "./options.ts";
import type { Check } from "./probes.ts";
import { processMetrics } from "./process-metrics.ts";
import { reach } from "./reach.ts";
import { recorder } from "./recorder.ts";
import { serveHealth, serveMetrics } from "./servers.ts";
import { synced } from "./synced.ts";
import { tracing } from "./tracing.ts";
import { all, poisonEvents, watchLog } from "./watch-log.ts";
import { serveAll, webhooksAt } from "./webhooks.ts";
import { wholeKinds } from "./whole-kinds.ts";

/** Controllers at work. */
export interface Manager {
  /** Resolves when everything has been listed; from then on the work goes on, here or, with an election, where the leader is. */
  readonly ready: Promise<void>;
  /** Resolves when all has stopped; rejects with what made it stop. */
  readonly done: Promise<void>;
  /** Finishes what runs, then lets go of everything. */
  stop(): Promise<void>;
  /** How every watch is doing. */
  health(): readonly WatchHealth[];
  /** True while this process may act. */
  readonly leading: boolean;
  readonly metrics: Metrics["registry"];
  /** Where the endpoints are, once `ready`; for those that were asked for. */
  readonly ports: { readonly health?: number | undefined; readonly metrics?: number | undefined; readonly webhooks?: number | undefined };
}

/** A server that has the next request before it has answered the last spends a tenth less on each than with half as many. */
const CONCURRENCY = 32;
/** Of a pod's 35 s, 30 are for work that runs; the rest is for events, the lease and watches. */
const LAST_WORDS = 2_000;

/**
 * Starts controllers in this process and comes back at once. Any number of managers may live side by side.
 *
 * Order: endpoints first, so that probes are answered; then webhooks, without which objects of other versions could not be
 * listed; then caches, until all first lists are there; then the work. Stopping goes the other way: what runs is finished, events
 * are flushed, the lease is handed over, watches end, webhooks answer what they were asked, endpoints close last.
 */
export function start(options: StartOptions): Manager {
  const { controllers, clock = systemClock, random = Math.random, concurrency = CONCURRENCY } = options;
  const logger = options.logger ?? stderrLogger(clock);
  const grace = milliseconds(options.grace ?? "30s");
  const stopping = aborter();
  const opened: (() => void | Promise<void>)[] = [];
  const listening: { health?: Listening | undefined; metrics?: Listening | undefined; webhooks?: Serving | undefined } = {};
  let operations: readonly Operation[] = [];
  let local: Cache | undefined;
  let leadership: Leadership | undefined;
  let events: Recorder | undefined;
  let failed = (_: unknown) => {};
  const failure = new Promise<never>((_, reject) => {
    failed = reject;
  });
  const health = () => local?.health() ?? [];
  let loop: LoopLag | undefined;
  const counted = metrics({ clock, controllers, operations: () => operations, health, concurrency, busy: () => loop?.woken() });
  for (const own of new Set(controllers.flatMap((each) => each.metrics ?? []))) counted.registry.include(own);

  const begin = async () => {
    checkNames(controllers);
    const { kubeconfig } = options;
    const client =
      options.client ?? (await own(reach({ kubeconfig, clock, random, logger, answered: counted.request }), (made) => made.close()));
    await serve(client);
    const tools = { client, clock, random, logger, observer: counted.webhook, signal: stopping.signal };
    listening.webhooks = await own(serveAll(options, tools), (made) => made?.close(grace));
    stopping.signal.throwIfAborted();
    local = options.cache ?? (await own(makeCache(client), (made) => made.stop()));
    leadership = await own(leadershipOf(client), (made) => made.stop());
    const gate = () => leadership!.gate();
    const instance = process.env["POD_NAME"] ?? hostname();
    events = await own(recorder({ client, clock, logger, instance, permit: gate }), (made) => made.flush(LAST_WORDS));
    const plant = {
      client,
      cache: local,
      clock,
      random,
      logger,
      recorder: events,
      observer: options.bugs === "fatal" ? endingWithBugs(counted.controller, failed) : counted.controller,
      concurrency,
      gate,
      trace: tracing,
      whole: wholeKinds(controllers),
    };
    operations = controllers.map((controller) => operate(controller, plant));
    await synced(operations, clock, milliseconds(options.syncTimeout ?? "2m"), stopping.signal);
    const objects = health().reduce((sum, watch) => sum + watch.objects, 0);
    logger.info("everything has been listed", { controllers: controllers.map(({ name }) => name), objects });
    leadership.lead(operations, counted.leading).catch(failed);
  };
  /** Remembers how to close what was opened, last first. */
  const own = async <T>(made: T | Promise<T>, close: (made: T) => void | Promise<void>): Promise<T> => {
    const value = await made;
    opened.unshift(() => close(value));
    return value;
  };
  const makeCache = (client: Client) =>
    cache({
      client,
      namespaces: options.namespaces,
      clock,
      random,
      observer: all(
        watchLog(logger),
        counted.cache,
        poisonEvents(() => events),
      ),
    });
  const leadershipOf = (client: Client) => {
    const { leaderElection = false } = options;
    if (leaderElection === false) return unopposed;
    // A client that was given cannot be made again in a thread, and a virtual clock does not reach there.
    const thread = options.client === undefined && options.clock === undefined ? { kubeconfig: options.kubeconfig } : undefined;
    return candidate(leaderElection === true ? {} : leaderElection, { client, clock, random, logger, controllers, thread });
  };
  const serve = async (client: Client) => {
    const close = (made: Listening | undefined) => made?.close();
    const caches: Check = () => (local === undefined ? "not started" : unwell(local.health()));
    const webhooks: Check = () => (listening.webhooks === undefined ? "not started" : listening.webhooks.check());
    const checks = { ...(webhooksAt(options) === undefined ? {} : { webhooks }), caches };
    if (options.health !== undefined) listening.health = await own(serveHealth(options.health, {}, checks, logger), close);
    if (options.metrics === undefined) return;
    loop = await own(loopLag(), (looking) => looking.stop());
    processMetrics(counted.registry, loop);
    const asked = typeof options.metrics === "string" ? { address: options.metrics } : options.metrics;
    listening.metrics = await own(serveMetrics(asked, { registry: counted.registry, client, clock, logger }), close);
  };
  const end = async () => {
    const late = await Promise.all(operations.map((operation) => operation.stop(grace)));
    for (const [i, keys] of late.entries())
      if (keys.length > 0)
        logger.warn("still running after the grace period", { controller: operations[i]!.controller.name, objects: keys });
    for (const close of opened) await close();
  };

  const ready = begin();
  let ended: Promise<void> | undefined;
  const stop = () => {
    stopping.abort(new Error("the manager stops"));
    ended ??= ready.catch(() => {}).then(end);
    return ended;
  };
  const asked = new Promise<void>((resolve) => stopping.signal.addEventListener("abort", () => resolve(), { once: true }));
  const done = (async () => {
    try {
      await Promise.race([ready.then(() => asked), failure]);
    } catch (error) {
      const wanted = stopping.signal.aborted;
      await stop();
      if (!wanted) throw error;
    }
    await stop();
  })();
  // Whoever waits for one of these hears of a failure; nobody has to wait for all.
  for (const promise of [ready, done, failure]) promise.catch(() => {});
  if (options.signal?.aborted) void stop();
  options.signal?.addEventListener("abort", () => void stop(), { once: true });
  return {
    ready,
    done,
    stop,
    health,
    get leading() {
      return leadership?.leading ?? false;
    },
    metrics: counted.registry,
    ports: {
      get health() {
        return listening.health?.port;
      },
      get metrics() {
        return listening.metrics?.port;
      },
      get webhooks() {
        return listening.webhooks?.port;
      },
    },
  };
}

/** The same observer; the first bug out of a reconcile is also the manager's end. */
function endingWithBugs(observer: ControllerObserver, failed: (error: unknown) => void): ControllerObserver {
  return {
    ...observer,
    reconciled(controller, item, result, took, error) {
      observer.reconciled?.(controller, item, result, took, error);
      if (isBug(error)) failed(error);
    },
  };
}

function checkNames(controllers: readonly Controller[]): void {
  const names = controllers.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new TypeError(`two controllers are called ${twice}: give one of them another \`name\`, it is also its field manager`);
}

/** Which watches are not to be relied on. */
function unwell(health: readonly WatchHealth[]): string | undefined {
  const stale = health.filter(({ fresh }) => !fresh);
  if (stale.length === 0) return undefined;
  return stale
    .map(
      ({ kind, problem, age }) =>
        problem?.message ?? `${kind.kind}: ${age === undefined ? "not heard yet" : `silent for ${Math.round(age / 1000)} s`}`,
    )
    .join("; ");
}
