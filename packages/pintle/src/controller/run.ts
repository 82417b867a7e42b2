import type { Stored } from "../cache/index.ts";
import { writesThrough } from "../cache/index.ts";
import { Conflict, TooManyRequests } from "../client/index.ts";
import { type Item, mergeReasons, type Outcome, type Queue, type Reason, reasonText } from "../queue/index.ts";
import { carryOut } from "./carry-out.ts";
import { childrenOf, context, type Eyes, liveOf } from "./context.ts";
import type { Controller } from "./controller.ts";
import type { Live, Memory } from "./decide.ts";
import { type Duration, milliseconds } from "./duration.ts";
import { addFinalizer, hasFinalizer, removeApart, removeFinalizer } from "./finalizer.ts";
import type { Logger } from "./logger.ts";
import { PAUSED, placeOf, subject } from "./names.ts";
import { NotLeading } from "./not-leading.ts";
import type { Announce } from "./options.ts";
import { oscillation } from "./oscillation.ts";
import { isSettled, type Plan, plan, planText } from "./plan.ts";
import type { Plant, Result } from "./plant.ts";
import { runClient } from "./run-client.ts";
import { TerminalError } from "./terminal.ts";
import { withTimeout } from "./timeout.ts";
import { wantOf } from "./want.ts";

/** Says which run a change came from, so that it does not wake the object it was made for. */
export interface Origin {
  readonly controller: Controller;
  readonly key: string;
  /** False once the run is over: what is written later wakes like any other change. */
  active: boolean;
}

export interface RunnerOptions {
  readonly controller: Controller;
  readonly plant: Plant;
  readonly eyes: Eyes;
  readonly memories: Map<string, Memory>;
  readonly queue: () => Queue;
}

/** After so many runs in a row that all wrote something, a controller is not getting anywhere. */
const MOST_RUNS = 10;
/** How soon children that take their time to go are looked at again. */
const APART_RETRY = 1_000;

/**
 * Runs one object to rest: reconcile, plan, carry out; and again on what the writes brought, until there is nothing left
 * to do. Own writes are in the cache as soon as they are answered, so each look sees everything the last one did.
 */
export function runner({ controller, plant, eyes, memories, queue }: RunnerOptions) {
  const { clock, observer } = plant;
  const hinted = new Set<string>();

  return async function run(item: Item, stop: AbortSignal): Promise<Outcome> {
    const origin: Origin = { controller, key: item.key, active: true };
    const started = clock.monotonic();
    const log = plant.logger.with({ controller: controller.name, object: item.key });
    const plans: Plan[] = [];
    let reasons = item.reasons;
    let outcome: Outcome;
    try {
      outcome = await settle();
    } catch (error) {
      outcome = outcomeOf(error);
    } finally {
      origin.active = false;
    }
    const took = clock.monotonic() - started;
    report(log, outcome, plans, reasons, took, stop.aborted);
    observer.reconciled?.(controller.name, item, resultOf(outcome), took, "error" in outcome ? outcome.error : undefined);
    return outcome;

    async function settle(): Promise<Outcome> {
      for (let runs = 1; runs <= MOST_RUNS; runs++) {
        stop.throwIfAborted();
        reasons = mergeReasons(reasons, queue().absorb(item.key));
        const object = eyes.primary.get(placeOf(item.key)) as Live | undefined;
        if (object === undefined) return { type: "done" };
        const look = await once(object);
        if (look.plan !== undefined) plans.push(look.plan);
        if (!look.wrote)
          return look.requeueAfter === undefined ? { type: "done" } : { type: "again", after: milliseconds(look.requeueAfter) };
      }
      throw oscillation(subject(controller.kind, placeOf(item.key)), plans.at(-2), plans.at(-1), MOST_RUNS);
    }

    async function once(given: Live): Promise<Look> {
      let object = given;
      let wrote = false;
      return withTimeout(
        clock,
        controller.timeout,
        stop,
        () => observer.timedOut?.(controller.name),
        async (signal) => {
          const through = writesThrough(plant.client, plant.cache, origin, { changed: () => (wrote = true) });
          const client = runClient(through, { signal, fieldManager: controller.name, gate: plant.gate });
          const make = () =>
            context({
              controller,
              eyes,
              object: object as unknown as Stored,
              signal,
              log,
              event: announce(object),
              reasons,
              client: () => client,
            });

          if (object.metadata.deletionTimestamp !== undefined) return finalized(make, client, object);
          if (object.metadata.annotations?.[PAUSED] === "true") return { wrote: false };
          if (controller.finalizer !== undefined && !hasFinalizer(controller, object)) {
            const marked = await addFinalizer(client, controller, object);
            // The run has not looked yet: what the finalizer stirred up is part of it.
            reasons = mergeReasons(reasons, queue().absorb(item.key));
            object = (eyes.primary.get(placeOf(item.key)) ?? marked) as Live;
            wrote = false;
          }
          const want = wantOf(await controller.reconcile(make()));
          signal.throwIfAborted();
          if (want === undefined) return { wrote };
          const live = (kind: Parameters<typeof liveOf>[1], at: Parameters<typeof liveOf>[2]) => liveOf(eyes, kind, at);
          const owned = (kind: { readonly id: string }) => childrenOf(eyes, kind, object as unknown as Stored);
          const steps = plan({ controller, object, want, live, owned, memories, now: clock.now() });
          observer.planned?.(controller.name, steps);
          const owner = object.metadata.uid;
          await carryOut(steps, { client, manager: controller.name, owner, memories, rewritten: hint });
          return { wrote: wrote || !isSettled(steps), plan: steps, requeueAfter: want.requeueAfter };
        },
      );
    }

    /** The object is on its way out: clean up, then let it go. */
    async function finalized(make: () => object, client: ReturnType<typeof runClient>, object: Live): Promise<Look> {
      if (!hasFinalizer(controller, object)) return { wrote: false };
      const answer = (await controller.finalize?.(make())) as { readonly requeueAfter: Duration } | undefined;
      if (answer?.requeueAfter !== undefined) return { wrote: false, requeueAfter: answer.requeueAfter };
      if (!(await removeApart(client, controller, object))) return { wrote: false, requeueAfter: APART_RETRY };
      const latest = (eyes.primary.get(placeOf(item.key)) ?? object) as Live;
      if (latest.metadata.uid === object.metadata.uid) await removeFinalizer(client, controller, latest);
      log.info("finalized");
      return { wrote: false };
    }

    function announce(object: Live): Announce {
      return (reason, message, options) => {
        const type = options?.type ?? "Normal";
        plant.recorder.announce({ controller: controller.name, kind: controller.kind, object, type, reason, message });
      };
    }

    function hint(step: Plan[number], paths: readonly string[]): void {
      const text = `${step.kind.id} ${paths.join(" ")}`;
      if (hinted.has(text)) return;
      hinted.add(text);
      log.info("the server keeps fields otherwise than they are wanted: leave them out to save a request per change", {
        child: subject(step.kind, step),
        fields: paths,
      });
    }
  };
}

interface Look {
  readonly wrote: boolean;
  readonly plan?: Plan | undefined;
  readonly requeueAfter?: Duration | undefined;
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof TerminalError) return { type: "terminal", error };
  const seconds = error instanceof TooManyRequests ? error.retryAfterSeconds : undefined;
  return { type: "failed", error, ...(seconds === undefined ? {} : { atLeast: seconds * 1000 }) };
}

function resultOf(outcome: Outcome): Result {
  return outcome.type === "done"
    ? "success"
    : outcome.type === "again"
      ? "requeue_after"
      : outcome.type === "failed"
        ? "error"
        : "terminal";
}

function report(log: Logger, outcome: Outcome, plans: readonly Plan[], reasons: readonly Reason[], took: number, stopping: boolean): void {
  const done = plans.filter((each) => !isSettled(each)).map(planText);
  const fields = { reasons: reasons.map(reasonText), ...(done.length === 0 ? {} : { plan: done.join("; ") }), took: Math.round(took) };
  if (outcome.type === "failed") {
    if (stopping) return;
    const { error } = outcome;
    // Someone else was faster: normal among several writers, and cured by looking again.
    if (error instanceof Conflict) log.debug("conflict, looking again", { ...fields, error: error.message });
    else if (error instanceof NotLeading) log.info("not written, because another process may lead", fields);
    else log.error("reconcile failed, will be retried", { ...fields, error });
  } else if (outcome.type === "terminal") log.error("reconcile failed and waits for a change", { ...fields, error: outcome.error });
  else if (done.length > 0) log.info("reconciled", fields);
  else log.debug("reconciled", fields);
}
