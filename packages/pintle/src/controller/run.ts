import { type Item, mergeReasons, type Outcome, reasonText } from "../queue/index.ts";
import { isBug } from "./bug.ts";
import type { Controller } from "./controller.ts";
import type { Daemons } from "./daemons.ts";
import type { Live, Memory } from "./decide.ts";
import { milliseconds } from "./duration.ts";
import type { Eyes } from "./eyes.ts";
import { intents } from "./intents.ts";
import { type Lookout, look } from "./look.ts";
import { placeOf, subject } from "./names.ts";
import { oscillation } from "./oscillation.ts";
import type { Apply, Plan } from "./plan.ts";
import type { Plant, Result } from "./plant.ts";
import { report } from "./report.ts";
import { retryAfter } from "./retry-after.ts";
import type { Runs } from "./runs.ts";
import { TerminalError } from "./terminal.ts";
import { withTimeout } from "./timeout.ts";

export interface RunnerOptions {
  readonly controller: Controller;
  readonly plant: Plant;
  readonly eyes: Eyes;
  readonly memories: Map<string, Memory>;
  readonly runs: Runs;
  readonly daemons: Daemons;
}

/** After so many looks in a row that all wrote something, a controller is not getting anywhere. */
const MOST_LOOKS = 10;

/**
 * Runs one object to rest: looks at it, and again at what its own writes brought, until there is nothing left to do. Own
 * writes are in the cache as soon as they are answered, so each look sees everything the last one did.
 */
export function runner({ controller, plant, eyes, memories, runs, daemons }: RunnerOptions) {
  const { clock, observer } = plant;
  const hinted = new Set<string>();

  return async function toRest(item: Item, stop: AbortSignal): Promise<Outcome> {
    const run = runs.begin(item.key);
    const started = clock.monotonic();
    const log = plant.logger.with({ controller: controller.name, object: item.key });
    const plans: Plan[] = [];
    let looks = 0;
    let reasons = item.reasons;
    const out: Lookout = {
      controller,
      plant,
      eyes,
      memories,
      run,
      log,
      reasons: () => reasons,
      again() {
        reasons = mergeReasons(reasons, run.absorb());
        return eyes.primary.get(placeOf(item.key)) as Live | undefined;
      },
      daemons,
      rewritten: hint,
      looksAgain: () => looks < MOST_LOOKS,
      intents: intents(),
    };

    let outcome: Outcome;
    try {
      const attributes = {
        "pintle.controller": controller.name,
        "pintle.object": item.key,
        "pintle.reasons": item.reasons.map(reasonText).join("; "),
        "pintle.failures": item.failures,
      };
      outcome = await plant.trace(`reconcile ${controller.name}`, attributes, settle);
    } catch (error) {
      outcome = outcomeOf(error);
    } finally {
      run.end();
    }
    const took = clock.monotonic() - started;
    report(log, { outcome, plans, reasons, took, stopping: stop.aborted });
    if (!stop.aborted) announceFailure(item, outcome);
    observer.reconciled?.(controller.name, item, resultOf(outcome), took, "error" in outcome ? outcome.error : undefined);
    return outcome;

    async function settle(): Promise<Outcome> {
      const timedOut = () => observer.timedOut?.(controller.name);
      for (looks = 1; looks <= MOST_LOOKS; looks++) {
        stop.throwIfAborted();
        const object = out.again();
        if (object === undefined) return { type: "done" };
        const { wrote, plan, requeueAfter, priority } = await withTimeout(clock, controller.timeout, stop, timedOut, (signal) =>
          look(out, object, signal),
        );
        if (plan !== undefined) plans.push(plan);
        if (!wrote) return requeueAfter === undefined ? { type: "done" } : { type: "again", after: milliseconds(requeueAfter), priority };
      }
      throw oscillation(subject(controller.kind, placeOf(item.key)), plans.at(-2), plans.at(-1), MOST_LOOKS);
    }

    /** What trying again will not cure is told where people look: on the object. Once, not with every retry. */
    function announceFailure({ key, failures }: Item, ended: Outcome): void {
      const hopeless = ended.type === "terminal" || (ended.type === "failed" && isBug(ended.error) && failures === 0);
      const object = hopeless ? (eyes.primary.get(placeOf(key)) as Live | undefined) : undefined;
      if (!hopeless || object === undefined) return;
      const message = ended.error instanceof Error ? ended.error.message : String(ended.error);
      const about = { controller: controller.name, kind: controller.kind, object };
      plant.recorder.announce({ ...about, type: "Warning", reason: "ReconcileFailed", message });
    }

    function hint(step: Apply, paths: readonly string[]): void {
      const text = `${step.kind.id} ${paths.join(" ")}`;
      if (hinted.has(text)) return;
      hinted.add(text);
      const advice = "the server keeps fields otherwise than they are wanted: leave them out to save a request per change";
      log.info(advice, { child: subject(step.kind, step), fields: paths });
    }
  };
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof TerminalError) return { type: "terminal", error };
  const atLeast = retryAfter(error);
  return { type: "failed", error, ...(atLeast === undefined ? {} : { atLeast }) };
}

function resultOf({ type }: Outcome): Result {
  return type === "done" ? "success" : type === "again" ? "requeue_after" : type === "failed" ? "error" : "terminal";
}
