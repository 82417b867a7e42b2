import { isJsonObject, type Json } from "../../json/index.ts";
import { isJsonEqual } from "../../merge/index.ts";
import { Oscillation } from "../errors.ts";
import { formatObject } from "../names.ts";
import { formatPlan, type Plan } from "../plan/plan.ts";

/** Creates the error of a controller that does not settle, with what differs between the last two plans that wrote. */
export function createOscillationError(subject: string, before: Plan | undefined, last: Plan | undefined, passes: number): Oscillation {
  const differing = (last ?? []).flatMap((step) => {
    const now = bodyOf(step);
    const previous = before?.find(
      (other) =>
        other.step === step.step && other.kind.id === step.kind.id && other.name === step.name && other.namespace === step.namespace,
    );
    if (now === undefined || previous === undefined) return [];
    const paths = findDifferences(bodyOf(previous), now);
    return paths.length === 0 ? [] : [`${formatObject(step.kind, step)} differs from pass to pass at ${paths.slice(0, 5).join(", ")}`];
  });
  const reason =
    differing.length > 0
      ? differing.join("; ")
      : last === undefined
        ? "reconcile itself writes in every pass"
        : `every pass writes the same again: ${formatPlan(last)}`;
  return new Oscillation(
    `${subject} does not settle after ${passes} passes: ${reason}. Desired state must follow from the objects alone, not from time or chance`,
  );
}

function bodyOf(step: Plan[number]): Json | undefined {
  return step.step === "apply" ? step.body : step.step === "status" ? step.status : undefined;
}

/** Returns the paths at which two values differ: ".spec.replicas", ".spec.containers[0].image". */
function findDifferences(a: Json | undefined, b: Json | undefined, path = ""): string[] {
  if (isJsonEqual(a, b)) return [];
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...keys].sort().flatMap((key) => findDifferences(a[key], b[key], `${path}.${key}`));
  }
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length)
    return a.flatMap((item, i) => findDifferences(item, b[i], `${path}[${i}]`));
  return [path];
}
