import { hostname } from "node:os";
import { type Cache, createCache, type WatchHealth } from "../cache/index.ts";
import type { Client } from "../client/index.ts";
import { type Clock, createAbortController, type Random, systemClock } from "../clock/index.ts";
import {
  type Controller,
  type ControllerObserver,
  createConflictReporters,
  createPassGate,
  createRecentDeletes,
  createSpanLinks,
  durationToMilliseconds,
  type EventRecorder,
  InvalidUsage,
  isProgrammingError,
  type Logger,
  type RunningController,
  recordLog,
  startController,
} from "../controller/index.ts";
import { PintleError, runInBackground } from "../errors/index.ts";
import { registerProcessMetrics } from "../metrics/index.ts";
import { createFlightRecorder } from "../recorder/index.ts";
import { correlateLogs, isTracing, traceSpan } from "../telemetry/index.ts";
import type { RunningWebhookServer } from "../webhook/index.ts";
import { combineCacheObservers, logWatchProblems, recordObjectErrors, recordVersions, recordWatches } from "./cache-observers.ts";
import { connectClient } from "./connect-client.ts";
import { createStderrLogger } from "./create-logger.ts";
import { DEFAULTS } from "./defaults.ts";
import { createEventRecorder } from "./event-recorder.ts";
import { ALWAYS_LEADING, createLeadership, type Leadership } from "./leader-election/leadership.ts";
import { type EventLoopLag, monitorEventLoopLag, registerEventLoopMetrics } from "./metrics/event-loop-lag.ts";
import { createManagerMetrics, type ManagerMetrics } from "./metrics/manager-metrics.ts";
import type { ManagerOptions } from "./options.ts";
import { serveHealth, serveMetrics } from "./serving/endpoints.ts";
import type { HttpListener } from "./serving/http-server.ts";
import { type EndpointName, explainListenError } from "./serving/listen-error.ts";
import type { HealthCheck } from "./serving/probes.ts";
import { resolveWebhookAddress, serveWebhookEndpoint } from "./serving/webhook-server.ts";

/** A pod has 35 s to stop: 30 for running reconciliations, the rest for events, the lease and watches. */
const EVENT_FLUSH_TIMEOUT_MS = 2_000;

const HEALTH: EndpointName = { name: "health endpoint", flag: "`health` or --health-probe-bind-address" };
const CONSOLE: EndpointName = { name: "console", flag: "`console`" };
const METRICS: EndpointName = { name: "metrics endpoint", flag: "`metrics` or --metrics-bind-address" };
const WEBHOOKS: EndpointName = { name: "webhook server", flag: "`webhookServer.address` or --webhook-bind-address" };

/** The parts of a manager. Those without `readonly` are set by `startParts`. */
export interface ManagerParts {
  readonly options: ManagerOptions;
  readonly clock: Clock;
  readonly random: Random;
  /** Its lines are recorded. */
  readonly logger: Logger;
  /** For controllers, which record their lines themselves, with the run. */
  readonly controllerLogger: Logger;
  readonly concurrency: number;
  /** In milliseconds. */
  readonly grace: number;
  readonly metrics: ManagerMetrics;
  readonly listeners: {
    health?: HttpListener | undefined;
    metrics?: HttpListener | undefined;
    webhooks?: RunningWebhookServer | undefined;
    console?: Pick<HttpListener, "port"> | undefined;
  };
  readonly stopping: AbortController;
  /** Rejects when the manager cannot go on. */
  readonly failure: Promise<never>;
  fail(error: unknown): void;
  /** Closes the parts that were started; the last one started is first. */
  readonly closers: (() => void | Promise<void>)[];
  cache: Cache | undefined;
  leadership: Leadership | undefined;
  recorder: EventRecorder | undefined;
  loopLag: EventLoopLag | undefined;
  running: readonly RunningController[];
  /** What the start waits for now, for the log. */
  describeWait: () => string;
}

/** Creates the parts that exist before anything is started. */
export function createManagerParts(given: ManagerOptions): ManagerParts {
  const { controllers, clock = systemClock, random = Math.random, concurrency = DEFAULTS.concurrency } = given;
  // A console shows a recording.
  const options =
    given.console === undefined || given.recorder !== undefined ? given : { ...given, recorder: createFlightRecorder({ clock, random }) };
  let fail = (_: unknown) => {};
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const metrics = createManagerMetrics({
    clock,
    controllers,
    concurrency,
    getRunning: () => parts.running,
    getWatchHealth: () => parts.cache?.health() ?? [],
    onActivity: () => parts.loopLag?.markActive(),
  });
  for (const source of new Set(controllers.flatMap((each) => each.metrics ?? []))) metrics.registry.include(source);
  const logger = correlateLogs(options.logger ?? createStderrLogger(clock));
  const parts: ManagerParts = {
    options,
    clock,
    random,
    logger: recordLog(logger, options.recorder),
    controllerLogger: logger,
    concurrency,
    grace: durationToMilliseconds(options.grace ?? DEFAULTS.grace),
    metrics,
    listeners: {},
    stopping: createAbortController(),
    failure,
    fail,
    closers: [],
    cache: undefined,
    leadership: undefined,
    recorder: undefined,
    loopLag: undefined,
    running: [],
    describeWait: () => "nothing",
  };
  return parts;
}

/** How long the start may wait before the log says for what; then again each time the duration has doubled. */
const SLOW_START_MS = 10_000;

/** Starts all parts. Resolves when the caches are synced and the workers start, here or in the process that leads. A slow start says what it waits for. */
export async function startParts(parts: ManagerParts): Promise<void> {
  const { clock, logger, stopping } = parts;
  const started = clock.monotonic();
  const report = () => {
    const elapsed = clock.monotonic() - started;
    if (!stopping.signal.aborted) logger.warn("Still starting", { seconds: Math.round(elapsed / 1000), waitingFor: parts.describeWait() });
    timer = clock.setTimeout(report, elapsed);
  };
  let timer = clock.setTimeout(report, SLOW_START_MS);
  try {
    await startInOrder(parts);
  } finally {
    clock.clearTimeout(timer);
  }
}

async function startInOrder(parts: ManagerParts): Promise<void> {
  const { options, clock, random, logger, metrics, stopping, listeners } = parts;
  assertUniqueNames(options.controllers);
  parts.describeWait = () => "the credentials of the API server";
  const client = options.client ?? (await open(parts, connectOwnClient(parts), (opened) => opened.close()));
  parts.describeWait = () => "the health and metrics endpoints to listen";
  await startEndpoints(parts, client);
  parts.describeWait = () => "the certificates of the webhook server, and the webhook configurations";
  const webhookDeps = { client, clock, random, logger, observer: metrics.webhook, signal: stopping.signal };
  const webhookAddress = options.webhookServer?.address ?? DEFAULTS.webhookAddress;
  const serving = explainListenError(WEBHOOKS, webhookAddress, serveWebhookEndpoint(options, webhookDeps));
  listeners.webhooks = await open(parts, serving, (opened) => opened?.close(parts.grace));
  stopping.signal.throwIfAborted();
  const cache = options.cache ?? (await open(parts, createManagerCache(parts, client), (opened) => opened.stop()));
  parts.cache = cache;
  parts.describeWait = () => "the thread of the leader election";
  const leadership = await open(parts, startLeadership(parts, client), (opened) => opened.stop());
  parts.leadership = leadership;
  parts.describeWait = () => `the first list of ${describeUnsynced(parts.running)}`;
  await startControllers(parts, client, cache, leadership);
  await waitForCacheSync(parts, durationToMilliseconds(options.syncTimeout ?? DEFAULTS.syncTimeout));
  const objects = cache.health().reduce((sum, watch) => sum + watch.objects, 0);
  logger.info("Caches synced", { controllers: options.controllers.map(({ name }) => name), objects });
  runInBackground(leadership.runWhileLeading(parts.running, metrics.setLeading), parts.fail);
}

/** Stops the workers, then closes all parts, the last one started first. */
export async function stopParts({ running, closers, grace, logger }: ManagerParts): Promise<void> {
  const unfinished = await Promise.all(running.map((controller) => controller.stop(grace)));
  for (const [i, objects] of unfinished.entries())
    if (objects.length > 0)
      logger.warn("Workers still running after the grace period", { controller: running[i]!.controller.name, objects });
  for (const close of closers) await close();
}

/** Awaits a part and registers how it is closed. */
async function open<T>({ closers }: ManagerParts, part: T | Promise<T>, close: (part: T) => void | Promise<void>): Promise<T> {
  const value = await part;
  closers.unshift(() => close(value));
  return value;
}

function connectOwnClient({ options, clock, random, logger, metrics }: ManagerParts): Promise<Client> {
  return connectClient({ kubeconfig: options.kubeconfig, clock, random, logger, onRequest: metrics.countRequest });
}

async function startConsole(parts: ManagerParts, client: Client): Promise<void> {
  const { options, listeners, logger, clock, random } = parts;
  const { console, recorder } = options;
  if (console === undefined || recorder === undefined) return;
  const serving = console.serve({ name: process.env["POD_NAME"] ?? hostname(), recorder, client, clock, random, logger });
  listeners.console = await open(parts, explainListenError(CONSOLE, "its address", serving), (listener) => listener?.close());
}

/** Starts the health and metrics endpoints. They come first, so that probes are answered while caches sync. */
async function startEndpoints(parts: ManagerParts, client: Client): Promise<void> {
  const { options, listeners, logger, metrics, clock, random } = parts;
  const close = (listener: HttpListener | undefined) => listener?.close();
  const caches: HealthCheck = () => (parts.cache === undefined ? "not started" : describeStaleWatches(parts.cache.health()));
  const webhooks: HealthCheck = () => (listeners.webhooks === undefined ? "not started" : listeners.webhooks.check());
  const checks = { ...(resolveWebhookAddress(options) === undefined ? {} : { webhooks }), caches };
  if (options.health !== undefined)
    listeners.health = await open(
      parts,
      explainListenError(HEALTH, options.health, serveHealth(options.health, {}, checks, logger)),
      close,
    );
  await startConsole(parts, client);
  if (options.metrics === undefined) return;
  const loopLag = await open(parts, monitorEventLoopLag(), (monitor) => monitor.stop());
  parts.loopLag = loopLag;
  registerProcessMetrics(metrics.registry);
  registerEventLoopMetrics(metrics.registry, loopLag);
  const serverOptions = typeof options.metrics === "string" ? { address: options.metrics } : options.metrics;
  const serving = serveMetrics(serverOptions, { registry: metrics.registry, client, clock, random, logger, recorder: options.recorder });
  listeners.metrics = await open(parts, explainListenError(METRICS, serverOptions.address, serving), close);
}

function createManagerCache(parts: ManagerParts, client: Client): Cache {
  const { options, clock, random, logger, metrics } = parts;
  const observer = combineCacheObservers(
    logWatchProblems(logger),
    metrics.cache,
    recordObjectErrors(() => parts.recorder),
    recordWatches(options.recorder, options.controllers),
    recordVersions(options.recorder),
  );
  return createCache({ client, namespaces: options.namespaces, clock, random, observer });
}

function startLeadership({ options, clock, random, logger }: ManagerParts, client: Client): Leadership | Promise<Leadership> {
  const { leaderElection = false, controllers } = options;
  if (leaderElection === false) return ALWAYS_LEADING;
  // A client passed as an option cannot be created again in a thread, and a virtual clock does not exist there.
  const thread = options.client === undefined && options.clock === undefined ? { kubeconfig: options.kubeconfig } : undefined;
  return createLeadership(leaderElection === true ? {} : leaderElection, { client, clock, random, logger, controllers, thread });
}

async function startControllers(parts: ManagerParts, client: Client, cache: Cache, leadership: Leadership): Promise<void> {
  const { options, clock, random, logger, controllerLogger, metrics, concurrency } = parts;
  const writeGate = () => leadership.writeGate();
  const instance = process.env["POD_NAME"] ?? hostname();
  const recorder = await open(parts, createEventRecorder({ client, clock, logger, instance, writeGate }), (opened) =>
    opened.flush(EVENT_FLUSH_TIMEOUT_MS),
  );
  parts.recorder = recorder;
  const bugs = options.bugs ?? DEFAULTS.bugs;
  const deps = {
    client,
    cache,
    clock,
    random,
    logger: controllerLogger,
    recorder,
    observer: bugs === "fatal" ? failOnProgrammingError(metrics.controller, parts.fail) : metrics.controller,
    concurrency,
    writeGate,
    trace: traceSpan,
    reportFailures: true,
    unfilteredKinds: collectUnfilteredKinds(options.controllers),
    // Spans are joined by runs, which a recorder numbers; without the option it keeps nothing.
    flightRecorder: options.recorder ?? (isTracing() ? createFlightRecorder({ maxBytes: 0, clock, random }) : undefined),
    passGate: createPassGate(clock),
    conflictReporters: createConflictReporters(),
    recentDeletes: createRecentDeletes(),
    spanLinks: isTracing() ? createSpanLinks() : undefined,
  };
  parts.running = options.controllers.map((controller) => startController(controller, deps));
}

/** Resolves when all controllers have synced. Throws after `limit` milliseconds with the watches that have not, and why. */
async function waitForCacheSync({ running, clock, stopping }: ManagerParts, limit: number): Promise<void> {
  const timeout = createAbortController(stopping.signal);
  const timer = clock.setTimeout(() => timeout.abort(), limit);
  try {
    await Promise.all(running.map((controller) => controller.waitForSync(timeout.signal)));
  } catch (error) {
    if (stopping.signal.aborted || !timeout.signal.aborted) throw error;
    throw new PintleError("PINTLE4003", `caches not synced within ${limit / 1000} s: ${describeUnsynced(running)}`);
  } finally {
    clock.clearTimeout(timer);
    timeout.abort();
  }
}

/** Describes the watches that have not completed their first list, and why. */
function describeUnsynced(running: readonly RunningController[]): string {
  const unsynced = running.flatMap((each) => each.describeUnsynced().map((reason) => `${each.controller.name}: ${reason}`));
  return [...new Set(unsynced)].join("; ");
}

/** Returns the ids of kinds of which a controller needs all objects: a second, narrower watch of them would only cost. */
function collectUnfilteredKinds(controllers: readonly Controller[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { kind, owns, watches } of controllers) {
    ids.add(kind.id);
    for (const child of owns) if (child.scope === "Namespaced" || kind.scope === "Cluster") ids.add(child.id);
    for (const { kind: watched, by } of Object.values(watches)) if (typeof by !== "object" || !("label" in by)) ids.add(watched.id);
  }
  return ids;
}

/** Returns the same observer; the first programming error of a reconcile also fails the manager. */
function failOnProgrammingError(observer: ControllerObserver, fail: (error: unknown) => void): ControllerObserver {
  return {
    ...observer,
    onReconciled(controller, item, result, took, error, span) {
      observer.onReconciled?.(controller, item, result, took, error, span);
      if (isProgrammingError(error)) fail(error);
    },
  };
}

function assertUniqueNames(controllers: readonly Controller[]): void {
  const names = controllers.map(({ name }) => name);
  const duplicate = names.find((name, i) => names.indexOf(name) !== i);
  if (duplicate !== undefined)
    throw new InvalidUsage(
      "PINTLE4002",
      `two controllers are called ${duplicate}: give one of them another \`name\`, it is also its field manager`,
    );
}

/** Describes the watches that are not fresh; `undefined` if all are. */
function describeStaleWatches(health: readonly WatchHealth[]): string | undefined {
  const stale = health.filter(({ isFresh }) => !isFresh);
  if (stale.length === 0) return undefined;
  return stale
    .map(({ kind, problem, lastEventAge }) => {
      const state = lastEventAge === undefined ? "no response yet" : `no event for ${Math.round(lastEventAge / 1000)} s`;
      return problem?.message ?? `${kind.kind}: ${state}`;
    })
    .join("; ");
}
