import type { Json, JsonObject } from "../json/index.ts";
import type { NewFact } from "./facts.ts";
import type { Redactor } from "./redactor.ts";

/**
 * Returns a fact in which no text contains a known secret value; the fact itself if it has no text, as most. Ids, names and keys, by which facts are joined,
 * stay.
 */
export function redactFact<F extends NewFact>(fact: F, redactor: Redactor): F {
  return redactByType(fact, redactor) as F;
}

function redactByType(fact: NewFact, { redactText, redactValue, redactObject }: Redactor): NewFact {
  const text = (value: string | undefined) => (value === undefined ? undefined : redactText(value));
  const texts = (values: readonly string[] | undefined) => values?.map(redactText);
  switch (fact.type) {
    case "log":
      return { ...fact, message: redactText(fact.message), fields: redactValue(fact.fields) as JsonObject | undefined };
    case "run":
      return fact.error === undefined ? fact : { ...fact, error: text(fact.error), frames: texts(fact.frames) };
    case "request":
    case "watch":
      return fact.message === undefined ? fact : { ...fact, message: text(fact.message) };
    case "build":
      return { ...fact, problems: texts(fact.problems) };
    case "fault":
      return { ...fact, fault: redactText(fact.fault) };
    case "object":
      return { ...fact, object: redactObject(fact.object) };
    case "plan":
      return {
        ...fact,
        error: text(fact.error),
        outside: texts(fact.outside),
        calls: fact.calls?.map((call) => ({
          ...call,
          error: call.error && { ...call.error, message: redactText(call.error.message) },
        })),
        state: redactValue(fact.state as unknown as Json) as never,
        steps: fact.steps.map((step) => {
          const reason = text(step.reason);
          if (step.changes === undefined && step.body === undefined && reason === step.reason) return step;
          const changes = step.changes?.map(({ path, old, new: now }) => ({
            path: redactText(path),
            old: redactValue(old),
            new: redactValue(now),
          }));
          return { ...step, reason, changes, body: step.body && redactObject(step.body) };
        }),
      };
    default:
      return fact;
  }
}
