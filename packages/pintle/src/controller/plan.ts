import type { Child, JsonObject, KindFacts } from "../kinds/index.ts";
import { AlreadyOwned } from "./already-owned.ts";
import { childBody, type Parent, type Placed } from "./child-body.ts";
import type { Controller } from "./controller.ts";
import { decide, type Live, type Memories, type Memory } from "./decide.ts";
import type { Intents } from "./intents.ts";
import { type Located, subject } from "./names.ts";
import { isReady } from "./ready.ts";
import { receiptOf } from "./receipt.ts";
import { isConditionsOnly, rfc3339, statusOf, statusSettled } from "./status.ts";
import type { AnyWant } from "./want.ts";

/** One thing to do, or to leave, about one object. */
export type Step = Apply | Skip | Hold | Prune | PatchStatus;
interface About extends Located {
  readonly kind: KindFacts;
  readonly why: string;
}
export interface Apply extends About {
  readonly step: "apply";
  /** Its key in `children`. */
  readonly child: string;
  readonly body: JsonObject;
  /** Digest of the body. */
  readonly intent: string;
  readonly live: Live | undefined;
  /** Not in the cache, which may not see all: look before taking it over. */
  readonly unseen: boolean;
}
export interface Skip extends About {
  readonly step: "skip";
  readonly child: string;
  readonly uid: string;
  readonly remember: Memory | undefined;
}
/** Waits for another child: neither applied nor pruned. */
export interface Hold extends About {
  readonly step: "hold";
  readonly child: string;
}
export interface Prune extends About {
  readonly step: "prune";
  readonly uid: string;
}
export interface PatchStatus extends About {
  readonly step: "status";
  readonly uid: string;
  readonly status: JsonObject;
  /** Which part is written, each by a field manager of its own. */
  readonly part: "status" | "conditions";
}
/** The difference between what is and what should be: a plain value, to be carried out, logged, shown or asserted. */
export type Plan = readonly Step[];

export interface Situation {
  readonly controller: Controller;
  readonly object: Live;
  readonly want: AnyWant;
  /** What the cache has of an object of an owned kind. */
  readonly live: (kind: KindFacts, at: Located) => Live | undefined;
  /** False for an optional kind whose CRD is not there. */
  readonly served: (kind: KindFacts) => boolean;
  /** What the cache has of a kind with this object as its owner. */
  readonly owned: (kind: KindFacts) => readonly Live[];
  readonly memories: Memories;
  readonly intents: Intents;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What has to be done. Pure; throws for an answer that cannot be carried out, with the reason. */
export function plan(situation: Situation): Plan {
  const { controller, object, want } = situation;
  const parent: Parent = { kind: controller.kind, metadata: object.metadata };
  const steps: Step[] = [];
  if (want.children !== undefined) {
    const children = placedChildren(controller, parent, want.children);
    for (const child of children) steps.push(stepFor(situation, child, children));
    steps.push(...pruned(situation, children));
  }
  const status = statusOf(controller.kind, want, object, rfc3339(situation.now));
  if (status !== undefined && !statusSettled(controller.kind, status, object)) {
    const { name, namespace, uid } = object.metadata;
    const why = object["status"] === undefined ? "missing" : "differs";
    const part = isConditionsOnly(controller.kind, want) ? "conditions" : "status";
    steps.push({ step: "status", kind: controller.kind, name, namespace, uid, why, status, part });
  }
  return steps;
}

/** Does carrying it out write anything? */
export function isSettled(plan: Plan): boolean {
  return plan.every(({ step }) => step === "skip" || step === "hold");
}

/**
 * A status was computed from the children as they were. Where they are about to change it would claim, for the new generation,
 * what was true of the old one: it is left to the next look, which sees them as they are then.
 */
export function childrenFirst(plan: Plan): { readonly steps: Plan; readonly postponed: readonly PatchStatus[] } {
  if (!plan.some(({ step }) => step === "apply" || step === "prune")) return { steps: plan, postponed: [] };
  const isStatus = (step: Step) => step.step === "status";
  return { steps: plan.filter((step) => !isStatus(step)), postponed: plan.filter(isStatus) as readonly PatchStatus[] };
}

/** "apply deployment (missing), status (differs)": for one line of a log. */
export function planText(plan: Plan): string {
  const parts = plan.filter(({ step }) => step !== "skip").map((step) => `${step.step} ${nameOf(step)} (${step.why})`);
  return parts.length === 0 ? "nothing to do" : parts.join(", ");
}
function nameOf(step: Step): string {
  return "child" in step ? `${step.child} ${subject(step.kind, step)}` : subject(step.kind, step);
}

interface Given extends Placed {
  readonly key: string;
  readonly child: Child;
}

function placedChildren(controller: Controller, parent: Parent, children: NonNullable<AnyWant["children"]>): readonly Given[] {
  const found = new Map<string, Given>();
  for (const [key, value] of Object.entries(children)) {
    for (const child of (Array.isArray(value) ? value : value ? [value] : []) as readonly Child[]) {
      const placed = childBody(controller, parent, child);
      const identity = identityOf(placed.kind, placed);
      const twin = found.get(identity);
      if (twin !== undefined)
        throw new TypeError(
          `controller ${controller.name}: children ${twin.key} and ${key} are both ${subject(placed.kind, placed)}: give one of them another name`,
        );
      found.set(identity, { key, child, ...placed });
    }
  }
  return [...found.values()];
}
/** Group, kind, namespace and name; the version and the key do not matter. */
const identityOf = (kind: KindFacts, { namespace = "", name }: Located) => `${kind.group}/${kind.kind}/${namespace}/${name}`;

function stepFor(situation: Situation, given: Given, all: readonly Given[]): Step {
  const { controller, object, memories } = situation;
  const { kind, name, namespace, key, body, apart } = given;
  const about = { kind, name, namespace, child: key };
  if (!situation.served(kind)) return { step: "hold", ...about, why: `${kind.kind} is not installed` };
  const waits = given.child.after.find((other) => !readyNow(situation, all, other));
  const live = situation.live(kind, given);
  if (waits !== undefined && live === undefined) {
    const metadata = waits.object["metadata"] as unknown as Located;
    return { step: "hold", ...about, why: `waits for ${subject(waits.kind, metadata)}` };
  }
  const intent = situation.intents(identityOf(kind, given), body);
  const decision = decide({ kind, body, intent, live, controller: controller.name, owner: object.metadata.uid, memories });
  switch (decision.step) {
    case "skip":
      return { step: "skip", ...about, why: decision.why, uid: live!.metadata.uid, remember: decision.remember };
    case "apply":
      return { step: "apply", ...about, why: decision.why, body, intent: decision.intent, live, unseen: live === undefined && apart };
    case "refuse":
      throw new AlreadyOwned(
        `controller ${controller.name} wants ${subject(kind, given)}, but ${decision.why}; rename the child, or delete the other one`,
      );
  }
}

function readyNow(situation: Situation, all: readonly Given[], child: Child): boolean {
  const given = all.find((each) => each.child === child);
  if (given === undefined) {
    const metadata = child.object["metadata"] as unknown as Located;
    throw new TypeError(
      `controller ${situation.controller.name}: a child is to come after ${subject(child.kind, metadata)}, which is not among the children`,
    );
  }
  const live = situation.live(given.kind, given);
  return live !== undefined && (child.ready === undefined ? isReady(given.kind, live) : child.ready(live));
}

/** Objects this controller once applied for this owner and does not want any more. */
function pruned({ controller, owned }: Situation, children: readonly Given[]): Prune[] {
  const wanted = new Set(children.map((child) => identityOf(child.kind, child)));
  const kinds = [...controller.owns, ...controller.formerly.filter((kind) => !controller.owns.some((one) => one.id === kind.id))];
  return kinds.flatMap((kind) =>
    owned(kind)
      .filter(({ metadata }) => receiptOf(metadata)?.controller === controller.name)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined && !wanted.has(identityOf(kind, metadata)))
      .map(({ metadata: { name, namespace, uid } }) => ({ step: "prune", kind, name, namespace, uid, why: "no longer wanted" }) as const),
  );
}
