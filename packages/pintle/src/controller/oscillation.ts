import type { Json } from "../kinds/index.ts";
import { differences } from "./difference.ts";
import { subject } from "./names.ts";
import { type Plan, planText } from "./plan.ts";

/** A controller whose plan never becomes empty: every run undoes or redoes what the run before did. */
export class Oscillation extends Error {
  override readonly name = "Oscillation";
}

/** What kept changing between the last two plans that wrote. */
export function oscillation(what: string, before: Plan | undefined, last: Plan | undefined, runs: number): Oscillation {
  const found = (last ?? []).flatMap((step) => {
    const now = bodyOf(step);
    const twin = before?.find(
      (other) =>
        other.step === step.step && other.kind.id === step.kind.id && other.name === step.name && other.namespace === step.namespace,
    );
    if (now === undefined || twin === undefined) return [];
    const paths = differences(bodyOf(twin), now);
    return paths.length === 0 ? [] : [`${subject(step.kind, step)} differs from run to run at ${paths.slice(0, 5).join(", ")}`];
  });
  const why =
    found.length > 0
      ? found.join("; ")
      : last === undefined
        ? "reconcile itself writes something in every run"
        : `the same is written again and again: ${planText(last)}`;
  return new Oscillation(
    `${what} does not settle after ${runs} runs: ${why}. Wanted state must follow from the objects alone, without time or chance`,
  );
}

function bodyOf(step: Plan[number]): Json | undefined {
  return step.step === "apply" ? step.body : step.step === "status" ? step.status : undefined;
}
