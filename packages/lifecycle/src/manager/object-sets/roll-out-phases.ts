import type { OwnerReference } from "pintle/kinds";
import { describeError, failure } from "../api/failures.ts";
import { type AppliedObject, type ApplyContext, applyObject } from "./apply-object.ts";
import type { WatchedKind } from "./object-watches.ts";
import { type DesiredObject, findController, formatObject, type LiveObject, scopeObject } from "./objects.ts";
import { evaluateProbes, type ProbeResult } from "./probes.ts";
import type { ResolvedPhase } from "./resolve-phases.ts";
import { findPhaseProblem } from "./validate-phases.ts";

/** The outcome of a phase. */
export interface PhaseResult {
  /** Why nothing of the phase was applied; undefined if it was. */
  readonly problem: string | undefined;
  readonly objects: readonly ObjectResult[];
}

/** The outcome of an object. */
export interface ObjectResult extends AppliedObject {
  readonly probe: ProbeResult;
}

/** Whether all objects of a phase have the desired state and are ready. */
export function isComplete({ problem, objects }: PhaseResult): boolean {
  return problem === undefined && objects.every(({ action, probe }) => action !== "Collision" && probe.status === "True");
}

/** Whether some objects of a phase, but not all, belong to a newer revision. */
export function isInTransition({ objects }: PhaseResult): boolean {
  const progressed = objects.filter(({ action }) => action === "Progressed").length;
  return progressed > 0 && progressed < objects.length;
}

/** Applies phase after phase. The first that is not complete is the last of the result. */
export async function rollOutPhases(
  context: ApplyContext,
  phases: readonly ResolvedPhase[],
  watch: (desired: DesiredObject) => Promise<WatchedKind>,
): Promise<readonly PhaseResult[]> {
  const results: PhaseResult[] = [];
  for (const phase of phases) {
    const result = await rollOutPhase(context, phase, watch);
    results.push(result);
    if (!isComplete(result)) break;
  }
  return results;
}

async function rollOutPhase(
  context: ApplyContext,
  phase: ResolvedPhase,
  watch: (desired: DesiredObject) => Promise<WatchedKind>,
): Promise<PhaseResult> {
  const { client, objectSet, settled } = context;
  const objects = await Promise.all(
    phase.objects.map(async (object) => {
      const { kind, objects: view } = await watch(object.desired);
      const desired = scopeObject(kind, object.desired);
      const { name, namespace } = desired.metadata;
      return { ...object, desired, kind, live: view.get({ name, namespace }) };
    }),
  );
  // Nothing of a phase is applied before all of it could be.
  const isOwnAndSettled = (desired: DesiredObject, live: LiveObject | undefined) =>
    live !== undefined && findController(live)?.uid === objectSet.metadata.uid && settled.isSettled(desired, live);
  const problem = await findPhaseProblem(
    client,
    phase.name,
    objects.filter(({ desired, live }) => !isOwnAndSettled(desired, live)),
  );
  if (problem !== undefined) return { problem, objects: [] };
  const outcomes = await Promise.allSettled(objects.map((object) => applyObject(context, object.kind, object, object.live)));
  const errors = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [describeError(outcome.reason)] : []));
  if (errors.length > 0) throw failure(`reconciling object: ${errors.join("\n")}`);
  const probes = objectSet.spec.progressionProbes ?? [];
  const applied = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  return { problem: undefined, objects: applied.map((each) => ({ ...each, probe: evaluateProbes(probes, each.object) })) };
}

/** Formats the collisions: objects that other owners control. Undefined if there are none. */
export function formatCollisions(objects: readonly ObjectResult[]): string | undefined {
  const collisions = objects.filter(({ action }) => action === "Collision");
  return collisions.length === 0 ? undefined : collisions.map(formatCollision).join("\n\n");
}

const PROBE_WORDS = { True: "Succeeded", False: "Failed", Unknown: "Unknown" } as const;

function formatCollision({ object, probe, conflictingOwner }: ObjectResult): string {
  return [
    formatObject(object),
    'Action: "Collision"',
    "Probes:",
    `- Progress: ${PROBE_WORDS[probe.status]}`,
    ...probe.messages.map((message) => `  - ${message}`),
    `Conflicting Owner: ${formatOwner(conflictingOwner)}`,
    "",
  ].join("\n");
}

/** As Go formats an owner reference. */
function formatOwner(owner: OwnerReference | undefined): string {
  if (owner === undefined) return "nil";
  const { kind, name, uid, apiVersion, controller, blockOwnerDeletion } = owner;
  const pointer = (value: boolean | undefined) => (value === undefined ? "nil" : `*${value}`);
  return `&OwnerReference{Kind:${kind},Name:${name},UID:${uid},APIVersion:${apiVersion},Controller:${pointer(controller)},BlockOwnerDeletion:${pointer(blockOwnerDeletion)},}`;
}

/** Formats the probe failures of each incomplete phase; undefined if there are none. */
export function formatProbeFailures(results: readonly PhaseResult[]): string | undefined {
  const texts = results
    .filter((result) => !isComplete(result))
    .flatMap(({ objects }) => {
      const first = objects.find(({ probe }) => probe.status !== "True");
      return first === undefined ? [] : [`${formatObject(first.object)}: ${first.probe.messages.join(" and ")}`];
    });
  return texts.length === 0 ? undefined : texts.join("\n");
}
