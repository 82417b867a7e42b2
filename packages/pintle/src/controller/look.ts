import type { Stored } from "../cache/index.ts";
import { landing, type WriteObserver, writesThrough } from "../cache/index.ts";
import type { Client } from "../client/index.ts";
import type { Reason } from "../queue/index.ts";
import { announcing } from "./announcing.ts";
import { carryOut } from "./carry-out.ts";
import { context } from "./context.ts";
import type { Controller } from "./controller.ts";
import type { Daemons } from "./daemons.ts";
import type { Live, Memory } from "./decide.ts";
import type { Duration } from "./duration.ts";
import { childrenOf, type Eyes, isServed, liveOf } from "./eyes.ts";
import { addFinalizer, hasFinalizer, removeApart, removeFinalizer } from "./finalizer.ts";
import type { Intents } from "./intents.ts";
import type { Logger } from "./logger.ts";
import { PAUSED } from "./names.ts";
import { type Apply, childrenFirst, isSettled, type Plan, plan } from "./plan.ts";
import { planClient } from "./plan-client.ts";
import type { Plant } from "./plant.ts";
import { runClient } from "./run-client.ts";
import type { Run } from "./runs.ts";
import { wantOf } from "./want.ts";

/** What came of looking at an object once. */
export interface Look {
  /** Something was written, so there may be more to see. */
  readonly wrote: boolean;
  readonly plan?: Plan | undefined;
  readonly requeueAfter?: Duration | undefined;
  readonly priority?: number | undefined;
}

export interface Lookout {
  readonly controller: Controller;
  readonly plant: Plant;
  readonly eyes: Eyes;
  readonly memories: Map<string, Memory>;
  readonly run: Run;
  readonly log: Logger;
  /** Why, so far. */
  readonly reasons: () => readonly Reason[];
  /** The object as the cache has it now; what woke it up to now is part of this look. */
  readonly again: () => Live | undefined;
  readonly daemons: Daemons;
  readonly rewritten: (step: Apply, paths: readonly string[]) => void;
  /** There will be another look if this one writes something. */
  readonly looksAgain: () => boolean;
  readonly intents: Intents;
}

/** How soon children that take their time to go are looked at again. */
const APART_RETRY = 1_000;

/** One look: reconcile, plan, carry out; or, for an object on its way out, finalize. */
export async function look(out: Lookout, given: Live, signal: AbortSignal): Promise<Look> {
  const { controller, plant, eyes, memories } = out;
  let object = given;
  let wrote = false;
  const noted: WriteObserver = {
    wrote(object, news) {
      out.run.wrote(object);
      wrote ||= news;
    },
    erased(uid) {
      out.run.erased(uid);
      wrote = true;
    },
  };
  const binding = { signal, fieldManager: controller.name, gate: plant.gate };
  const client = once(() => runClient(writesThrough(plant.client, plant.cache, undefined, noted), binding));
  const contextNow = () => contextOf(out, object, signal, client);

  if (object.metadata.deletionTimestamp !== undefined) return finalized(out, object, contextNow, client);
  if (object.metadata.annotations?.[PAUSED] === "true") {
    await out.daemons.dismiss(object.metadata.uid);
    return { wrote: false };
  }
  if (controller.finalizer !== undefined && !hasFinalizer(controller, object)) {
    const marked = await addFinalizer(client(), controller, object);
    object = out.again() ?? marked;
    wrote = false;
  }
  out.daemons.tend(object);
  const want = wantOf(await controller.reconcile(contextNow()));
  signal.throwIfAborted();
  if (want === undefined) return { wrote };
  const all = plan({
    controller,
    object,
    want,
    live: (kind, at) => liveOf(eyes, kind, at),
    served: (kind) => kind.optional !== true || isServed(eyes, kind),
    owned: (kind) => childrenOf(eyes, kind, object as unknown as Stored),
    memories,
    intents: out.intents,
    now: plant.clock.now(),
  });
  const { steps, postponed } = out.looksAgain() ? childrenFirst(all) : { steps: all, postponed: [] };
  plant.observer.planned?.(controller.name, steps);
  const settled = isSettled(steps);
  const kept = (step: Apply, answer: Live) => {
    const live = liveOf(eyes, step.kind, step);
    return live?.metadata.resourceVersion === answer.metadata.resourceVersion ? live : answer;
  };
  const owner = object.metadata.uid;
  const writer = planClient(plant.client, landing(plant.cache, undefined, noted), binding);
  await carryOut(steps, postponed, { manager: controller.name, owner, memories, kept, rewritten: out.rewritten, client: writer });
  return { wrote: wrote || !settled, plan: steps, requeueAfter: want.requeueAfter, priority: want.priority };
}

/** The object is on its way out: clean up, then let it go. */
async function finalized(out: Lookout, object: Live, given: () => object, client: () => Client): Promise<Look> {
  const { controller, log } = out;
  const ended = await out.daemons.dismiss(object.metadata.uid);
  if (!hasFinalizer(controller, object)) return { wrote: false };
  if (!ended) log.warn("daemons have not ended in time; the object is let go without them", { grace: controller.daemonGrace / 1000 });
  const answer = (await controller.finalize?.(given())) as { readonly requeueAfter: Duration } | undefined;
  if (answer?.requeueAfter !== undefined) return { wrote: false, requeueAfter: answer.requeueAfter };
  if (!(await removeApart(client(), controller, object))) return { wrote: false, requeueAfter: APART_RETRY };
  const latest = out.again() ?? object;
  if (latest.metadata.uid === object.metadata.uid) await removeFinalizer(client(), controller, latest);
  log.info("finalized");
  return { wrote: false };
}

function contextOf({ controller, plant, eyes, log, reasons }: Lookout, object: Live, signal: AbortSignal, client: () => Client): object {
  const event = announcing(controller, plant, object);
  return context({ controller, eyes, object: object as unknown as Stored, signal, log, event, reasons: reasons(), client });
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
