import type { Json, JsonObject } from "../json/index.ts";
import type { NewFact, PlanFact, PlannedStep, RecordedCall } from "./facts.ts";
import type { Redactor } from "./redactor.ts";

/**
 * Returns a fact in which no text contains a known secret value; the fact itself if it has no text, as most. Ids, names and keys, by which facts are joined,
 * stay.
 */
export function redactFact<F extends NewFact>(fact: F, redactor: Redactor): F {
  return redactByType(fact, redactor) as F;
}

function redactByType(fact: NewFact, redactor: Redactor): NewFact {
  const { redactText, redactValue, redactObject } = redactor;
  const text = (value: string | undefined) => (value === undefined ? undefined : redactText(value));
  const texts = (values: readonly string[] | undefined) => values?.map(redactText);
  switch (fact.type) {
    case "log":
      return { ...fact, message: redactText(fact.message), fields: redactValue(fact.fields) as JsonObject | undefined };
    case "run":
      return fact.error === undefined ? fact : { ...fact, error: text(fact.error), frames: texts(fact.frames) };
    case "request": {
      const [message, user] = [text(fact.message), text(fact.user)];
      const [fieldManager, fault] = [text(fact.fieldManager), text(fact.fault)];
      // Copying a fact costs as much as serializing it.
      const isSame = message === fact.message && user === fact.user && fieldManager === fact.fieldManager && fault === fact.fault;
      return isSame ? fact : { ...fact, message, user, fieldManager, fault };
    }
    case "commit":
      return fact.observed === undefined
        ? fact
        : { ...fact, observed: { ...fact.observed, managers: fact.observed.managers.map(redactText) } };
    case "watch":
      return fact.message === undefined ? fact : { ...fact, message: text(fact.message) };
    case "build":
      return { ...fact, problems: texts(fact.problems) };
    case "fault":
      return { ...fact, fault: redactText(fact.fault), subject: redactText(fact.subject) };
    case "object":
      return { ...fact, object: redactObject(fact.object) };
    case "plan":
      return redactPlan(fact as PlanFact, redactor);
    default:
      return fact;
  }
}

function redactPlan(fact: PlanFact, redactor: Redactor): PlanFact {
  const { redactText, redactValue } = redactor;
  const calls = fact.calls?.map((call) => redactCall(call, redactor));
  const steps = fact.steps.map((step) => redactStep(step, redactor));
  // Calls are replayed by their texts, steps compared by their digests.
  const isIncomparable =
    fact.redacted === true ||
    calls?.some(({ call }, i) => call !== fact.calls?.[i]?.call) === true ||
    steps.some(({ digest }, i) => digest !== fact.steps[i]?.digest);
  return {
    ...fact,
    error: fact.error === undefined ? undefined : redactText(fact.error),
    outside: fact.outside?.map(redactText),
    calls,
    state: redactValue(fact.state as unknown as Json) as never,
    steps,
    redacted: isIncomparable ? true : undefined,
  };
}

function redactCall(call: RecordedCall, { redactText }: Redactor): RecordedCall {
  return { ...call, call: redactText(call.call), error: call.error && { ...call.error, message: redactText(call.error.message) } };
}

function redactStep(step: PlannedStep, { redactText, redactValue, redactObject }: Redactor): PlannedStep {
  const reason = step.reason === undefined ? undefined : redactText(step.reason);
  if (step.changes === undefined && step.body === undefined && reason === step.reason) return step;
  const changes = step.changes?.map(({ path, old, new: now }) => ({
    path: redactText(path),
    old: redactValue(old),
    new: redactValue(now),
  }));
  const body = step.body && redactObject(step.body);
  const isChanged =
    body !== step.body || changes?.some(({ path, new: now }, i) => path !== step.changes?.[i]?.path || now !== step.changes[i]?.new);
  // A digest of what turned out to be secret could be compared with guesses.
  return { ...step, reason, changes, body, digest: isChanged === true ? undefined : step.digest };
}
