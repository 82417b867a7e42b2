import type { Child, KindInfo } from "../../kinds/index.ts";
import type { Controller } from "../declare/controller.ts";
import type { AnyDesiredState } from "../declare/desired-state.ts";
import { type ChildHistory, isHistory } from "../declare/history.ts";
import { AlreadyOwned, InvalidUsage } from "../errors.ts";
import { formatObject, HISTORY_ANNOTATION, KEEP_ANNOTATION, type NamespacedName } from "../names.ts";
import { buildChildBody, type OwnerObject, type ResolvedChild } from "./child-body.ts";
import { contestOf } from "./contest.ts";
import { decide, type LiveJsonObject } from "./decide.ts";
import { findExpiredChildren } from "./history.ts";
import { readLastApplied } from "./last-applied.ts";
import type { ApplyStep, PlanInput, PlanStep, PruneStep, SkipStep, WaitStep } from "./plan.ts";
import { describeUnready, isReady } from "./readiness.ts";

/** A desired child with its key. */
export interface DesiredChildEntry extends ResolvedChild {
  readonly key: string;
  readonly child: Child;
  /** Whether nothing is applied if the object exists. */
  readonly isCreateOnly: boolean;
}
type ChildStep = ApplyStep | SkipStep | WaitStep;

/** Returns the desired children with namespaces and owner references. Throws `InvalidUsage` if two of them are the same object. */
export function resolveChildren(
  controller: Controller,
  parent: OwnerObject,
  children: NonNullable<AnyDesiredState["children"]>,
): readonly DesiredChildEntry[] {
  const found = new Map<string, DesiredChildEntry>();
  for (const [key, value] of Object.entries(children)) {
    const history = isHistory(value) ? value.history : undefined;
    for (const child of listDesired(value)) {
      const resolved = buildChildBody(controller, parent, child, history);
      const identity = identityOf(resolved.kind, resolved);
      const duplicate = found.get(identity);
      if (duplicate !== undefined)
        throw new InvalidUsage(
          "PINTLE3014",
          `controller ${controller.name}: children ${duplicate.key} and ${key} are both ${formatObject(resolved.kind, resolved)}: give one of them another name`,
        );
      found.set(identity, { key, child, isCreateOnly: child.create === "once" || history !== undefined, ...resolved });
    }
  }
  return [...found.values()];
}
function listDesired(value: AnyDesiredChild): readonly Child[] {
  if (isHistory(value)) return value.children;
  return [value].flat().filter((child) => !!child) as readonly Child[];
}
type AnyDesiredChild = NonNullable<AnyDesiredState["children"]>[string];

/** Returns the desired histories by kind and name. Throws `InvalidUsage` if two of them have the same. */
function resolveHistories(controller: Controller, children: NonNullable<AnyDesiredState["children"]>): ReadonlyMap<string, ChildHistory> {
  const found = new Map<string, ChildHistory>();
  for (const value of Object.values(children)) {
    if (!isHistory(value)) continue;
    const key = historyKey(value.kind, value.history);
    if (found.has(key))
      throw new InvalidUsage(
        "PINTLE3019",
        `controller ${controller.name}: two histories of ${value.kind.kind} have the name ${JSON.stringify(value.history)}: give one of them another \`name\``,
      );
    found.set(key, value);
  }
  return found;
}
const historyKey = (kind: KindInfo, history: string | undefined) => `${kind.id} ${history}`;

/** The identity of an object: group, kind, namespace and name. */
const identityOf = (kind: KindInfo, { namespace = "", name }: NamespacedName) => `${kind.group}/${kind.kind}/${namespace}/${name}`;

/** Plans every desired child, then the deletion of those that are no longer desired. */
export function planChildren(input: PlanInput, entries: readonly DesiredChildEntry[]): readonly PlanStep[] {
  const entryOf = new Map(entries.map((entry) => [entry.child, entry]));
  const stepOf = new Map<DesiredChildEntry, ChildStep>();
  // A child is created after the children that it names in `after`, so the recursion ends.
  const planOnce = (entry: DesiredChildEntry): ChildStep => {
    const step = stepOf.get(entry) ?? planChild(input, entry, findUnmetDependency);
    stepOf.set(entry, step);
    return step;
  };
  /** Describes the first child of `after` that does not exist as desired now or is not ready. */
  const findUnmetDependency = ({ child }: DesiredChildEntry): string | undefined => {
    for (const other of child.after) {
      const entry = entryOf.get(other);
      if (entry === undefined) throw new InvalidUsage("PINTLE3015", describeUnknownDependency(input.controller, other));
      const step = planOnce(entry);
      const subject = formatObject(entry.kind, entry);
      if (step.step === "apply") return `${subject} (${step.live === undefined ? "missing" : "not up to date"})`;
      if (step.step === "wait") return `${subject}, which ${step.reason}`;
      const live = input.getLive(entry.kind, entry)!;
      const isDependencyReady = other.ready === undefined ? isReady(entry.kind, live) : other.ready(live);
      if (!isDependencyReady) return `${subject} (${describeUnready(entry.kind, live)})`;
    }
    return undefined;
  };
  const steps = entries.map(planOnce);
  return [...steps, ...planPrunes(input, entries, steps)];
}

function planChild(
  input: PlanInput,
  entry: DesiredChildEntry,
  findUnmetDependency: (entry: DesiredChildEntry) => string | undefined,
): ChildStep {
  const { kind, name, namespace, key } = entry;
  const target = { kind, name, namespace, child: key };
  if (!input.isServed(kind)) return { step: "wait", ...target, reason: `${kind.kind} is not installed` };
  const unmet = findUnmetDependency(entry);
  const step = decideChild(input, entry);
  const contest = step.step !== "apply" ? undefined : step.live === undefined ? "deletion" : step.isRepair ? "change" : undefined;
  const blocked = contest && input.describeBlocked(contestOf(contest, formatObject(kind, entry)));
  if (blocked !== undefined) return { step: "wait", ...target, reason: blocked };
  if (unmet === undefined || step.step === "skip") return step;
  const reason = `waits for ${unmet}`;
  const wait: WaitStep = { step: "wait", ...target, reason, isOrdered: true };
  if (step.live === undefined || entry.child.meanwhile === undefined) return wait;
  const meanwhile = decideChild(input, { ...entry, body: buildMeanwhileBody(input, entry, step.live) });
  return meanwhile.step === "apply" ? { ...meanwhile, reason: `${meanwhile.reason}, ${reason}` } : wait;
}

/** Decides whether the body of a child must be applied. Throws `AlreadyOwned` if another owner controls the live object. */
function decideChild(
  input: PlanInput,
  { kind, name, namespace, key, body, isCrossNamespace, isCreateOnly }: DesiredChildEntry,
): ApplyStep | SkipStep {
  const { controller, object, settledSnapshots } = input;
  const target = { kind, name, namespace, child: key };
  const live = input.getLive(kind, target);
  const desiredDigest = input.desiredDigests(identityOf(kind, target), body);
  const decision = decide({
    kind,
    body,
    desiredDigest,
    live,
    controller: controller.name,
    ownerUid: object.metadata.uid,
    settledSnapshots,
  });
  if (isCreateOnly && live !== undefined && decision.step === "apply")
    return { step: "skip", ...target, reason: "created once", uid: live.metadata.uid, snapshot: undefined };
  switch (decision.step) {
    case "skip":
      return { step: "skip", ...target, reason: decision.reason, uid: live!.metadata.uid, snapshot: decision.snapshot };
    case "apply":
      return {
        step: "apply",
        ...target,
        reason: decision.reason,
        body,
        desiredDigest: decision.desiredDigest,
        live,
        isRepair: decision.isRepair,
        isCreateOnly,
        // A cache that is behind must not make a child that is created once be written again.
        needsLiveRead: live === undefined && (isCrossNamespace || isCreateOnly),
      };
    case "refuse":
      throw new AlreadyOwned(
        `controller ${controller.name} wants ${formatObject(kind, target)}, but ${decision.reason}; rename the child, or delete the other one`,
      );
  }
}

/** Returns the body for a child that waits. Throws `InvalidUsage` if it is another object. */
function buildMeanwhileBody({ controller, object }: PlanInput, entry: DesiredChildEntry, live: LiveJsonObject): ResolvedChild["body"] {
  const resolved = buildChildBody(controller, { kind: controller.kind, metadata: object.metadata }, entry.child.meanwhile!(live));
  if (identityOf(resolved.kind, resolved) !== identityOf(entry.kind, entry))
    throw new InvalidUsage(
      "PINTLE3018",
      `controller ${controller.name}: \`meanwhile\` of ${formatObject(entry.kind, entry)} returned ${formatObject(resolved.kind, resolved)}: keep kind, name and namespace`,
    );
  return resolved.body;
}

function describeUnknownDependency(controller: Controller, child: Child): string {
  const metadata = child.object["metadata"] as unknown as NamespacedName;
  return `controller ${controller.name}: a child is declared to come after ${formatObject(child.kind, metadata)}, which is not among the children`;
}

/**
 * Plans the deletion of children that this controller applied for this owner and that are no longer desired. A renamed child is created before the old
 * one is deleted, so while a child waits to be created, no child of its kind is pruned.
 */
function planPrunes(
  { controller, want, listOwned, getLive, describeBlocked }: PlanInput,
  entries: readonly DesiredChildEntry[],
  steps: readonly ChildStep[],
): PlanStep[] {
  const desired = new Set(entries.map((entry) => identityOf(entry.kind, entry)));
  const waiting = new Map(
    steps.filter((step) => step.step === "wait" && getLive(step.kind, step) === undefined).map((step) => [step.kind.id, step]),
  );
  const histories = resolveHistories(controller, want.children ?? {});
  const formerKinds = controller.formerly.filter((kind) => !controller.owns.some((one) => one.id === kind.id));
  return [...controller.owns, ...formerKinds].flatMap((kind) => {
    const candidates = listOwned(kind)
      .filter(({ metadata }) => readLastApplied(metadata)?.controller === controller.name)
      .filter(({ metadata }) => metadata.annotations?.[KEEP_ANNOTATION] !== "always")
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined && !desired.has(identityOf(kind, metadata)));
    // Nearly every plan.
    if (candidates.length === 0) return [];
    const expired = new Map(
      [...histories.values()]
        .filter((history) => history.kind.id === kind.id)
        .flatMap((history) => [...findExpiredChildren(history, candidates)]),
    );
    return candidates.flatMap(({ metadata: { name, namespace, uid, annotations } }): (PruneStep | WaitStep)[] => {
      const isHistorical = histories.has(historyKey(kind, annotations?.[HISTORY_ANNOTATION]));
      const reason = isHistorical ? expired.get(uid) : "no longer desired";
      if (reason === undefined) return [];
      const blocked = describeBlocked(contestOf("creation", formatObject(kind, { name, namespace })));
      if (blocked !== undefined) return [{ step: "wait", kind, name, namespace, child: undefined, reason: blocked }];
      const successor = waiting.get(kind.id);
      if (successor === undefined) return [{ step: "prune", kind, name, namespace, uid, reason }];
      const after = `pruned after ${formatObject(kind, successor)} is created`;
      return [{ step: "wait", kind, name, namespace, child: undefined, reason: after }];
    });
  });
}
