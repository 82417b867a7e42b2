import { hostname } from "node:os";
import { type Cache, cache, type WatchHealth } from "../cache/index.ts";
import { type Client, connect } from "../client/index.ts";
import {
  type Controller,
  type ControllerObserver,
  type Duration,
  type Logger,
  milliseconds,
  type Operation,
  operate,
} from "../controller/index.ts";
import { type Clock, type Random, systemClock } from "../queue/index.ts";
import { logLines } from "./log-lines.ts";
import { recorder } from "./recorder.ts";
import { wholeKinds } from "./whole-kinds.ts";

export interface StartOptions {
  readonly controllers: readonly Controller[];
  /** Default: the cluster that a kubeconfig or the pod this runs in points at. Not closed by `stop`. */
  readonly client?: Client | undefined;
  /** A cache to share with other parts of the program; stopped by whoever made it. */
  readonly cache?: Cache | undefined;
  /** Follow these namespaces only. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
  /** Objects per controller at the same time. Default: 16. */
  readonly concurrency?: number | undefined;
  /** How long the first lists may take. Default: two minutes. */
  readonly syncTimeout?: Duration | undefined;
  /** How long what runs may go on after `stop`. Default: 30 s. */
  readonly grace?: Duration | undefined;
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Stops when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** Controllers at work. */
export interface Manager {
  /** Resolves when everything has been listed and the work has begun. */
  readonly ready: Promise<void>;
  /** Resolves when all has stopped; rejects with what made it stop. */
  readonly done: Promise<void>;
  /** Finishes what runs, then lets go of everything. */
  stop(): Promise<void>;
  health(): readonly WatchHealth[];
}

const CONCURRENCY = 16;

/** Starts controllers in this process and comes back at once. Any number of managers may live side by side. */
export function start(options: StartOptions): Manager {
  const { clock = systemClock, random = Math.random } = options;
  const logger = options.logger ?? logLines({ clock, write: (line) => process.stderr.write(`${line}\n`), plain: process.stderr.isTTY });
  const grace = milliseconds(options.grace ?? "30s");
  const stopping = new AbortController();
  const observer: ControllerObserver = {};
  let local: Cache | undefined;
  let events: ReturnType<typeof recorder> | undefined;
  let operations: readonly Operation[] = [];
  let connected: Client | undefined;

  const begin = async () => {
    checkNames(options.controllers);
    const client = options.client ?? (await connect());
    if (options.client === undefined) connected = client;
    stopping.signal.throwIfAborted();
    local = options.cache ?? cache({ client, namespaces: options.namespaces, clock, random, observer: watchLog(logger) });
    events = recorder({ client, clock, logger, instance: process.env["POD_NAME"] ?? hostname() });
    const plant = {
      client,
      cache: local,
      clock,
      random,
      logger,
      recorder: events,
      observer,
      concurrency: options.concurrency ?? CONCURRENCY,
      gate: () => {},
      whole: wholeKinds(options.controllers),
    };
    operations = options.controllers.map((controller) => operate(controller, plant));
    await synced(operations, clock, milliseconds(options.syncTimeout ?? "2m"), stopping.signal);
    for (const operation of operations) operation.start();
  };
  const end = async () => {
    await Promise.all(operations.map((operation) => operation.stop(grace)));
    await events?.flush();
    if (options.cache === undefined) await local?.stop();
    await connected?.close();
  };

  const ready = begin();
  let ended: Promise<void> | undefined;
  const stop = () => {
    stopping.abort(new Error("stopped"));
    ended ??= ready.catch(() => {}).then(end);
    return ended;
  };
  const halted = new Promise<void>((resolve) => stopping.signal.addEventListener("abort", () => resolve(), { once: true }));
  const done = (async () => {
    try {
      await ready;
      await halted;
    } catch (error) {
      const asked = stopping.signal.aborted;
      await stop();
      if (!asked) throw error;
    }
    await stop();
  })();
  // Whoever waits for one of the two hears of a failure; nobody has to wait for both.
  ready.catch(() => {});
  done.catch(() => {});
  if (options.signal?.aborted) void stop();
  options.signal?.addEventListener("abort", () => void stop(), { once: true });
  return { ready, done, stop, health: () => local?.health() ?? [] };
}

function checkNames(controllers: readonly Controller[]): void {
  const names = controllers.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new TypeError(`two controllers are called ${twice}: give one of them another \`name\`, it is also its field manager`);
}

/** Waits for all first lists; the error names those that did not come, and why. */
async function synced(operations: readonly Operation[], clock: Clock, limit: number, signal: AbortSignal): Promise<void> {
  const timeout = new AbortController();
  const timer = clock.setTimeout(() => timeout.abort(), limit);
  try {
    await Promise.all(operations.map((operation) => operation.synced(AbortSignal.any([signal, timeout.signal]))));
  } catch (error) {
    if (signal.aborted || !timeout.signal.aborted) throw error;
    const late = operations.flatMap((operation) => operation.unsynced().map((problem) => `${operation.controller.name}: ${problem}`));
    throw new Error(`not listed within ${limit / 1000} s: ${[...new Set(late)].join("; ")}`);
  } finally {
    clock.clearTimeout(timer);
  }
}

function watchLog(logger: Logger) {
  return {
    problem(
      kind: { readonly kind: string },
      namespace: string | undefined,
      problem: { readonly type: string; readonly message: string } | undefined,
    ) {
      const fields = { kind: kind.kind, ...(namespace === undefined ? {} : { namespace }) };
      if (problem === undefined) logger.info("the watch is well again", fields);
      else if (problem.type === "expired" || problem.type === "silent") logger.debug(problem.message, fields);
      else logger.warn(problem.message, fields);
    },
    poisoned(kind: { readonly kind: string }, object: unknown, error: unknown) {
      const { name, namespace } = (object as { metadata?: { name?: string; namespace?: string } } | undefined)?.metadata ?? {};
      logger.error("one object could not be taken in; the others are not affected", { kind: kind.kind, namespace, name, error });
    },
  };
}
