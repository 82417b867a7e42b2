import { LabelSelectorSyntaxError, matchesRequirements, parseLabelSelector } from "pintle/internal/selectors";
import type { JsonObject } from "pintle/kinds";
import { invalid } from "../source/index.ts";

/** Compiles a label selector in its text form into a test of objects. */
export function matchesSelector(selector: string): (object: JsonObject) => boolean {
  try {
    const requirements = parseLabelSelector(selector);
    return (object) => {
      const labels = (object["metadata"] as JsonObject | undefined)?.["labels"] ?? {};
      return matchesRequirements(requirements, labels as Readonly<Record<string, string>>);
    };
  } catch (error) {
    if (error instanceof LabelSelectorSyntaxError) throw invalid(`The label selector is invalid: ${error.message}.`);
    throw error;
  }
}
