import { PintleError } from "../errors/index.ts";
import type { LabelSelector } from "../kinds/index.ts";
import { formatRequirement } from "./format-label-selector.ts";
import { LabelSelectorSyntaxError, parseLabelSelector } from "./parse-label-selector.ts";
import { getLabel, type LabelRequirement, type Labels, matchesRequirement, matchesRequirements } from "./requirement.ts";

/** A label selector in one of its forms: `{ app: "web" }`, `"app in (web, api), !legacy"`, or `compileLabelSelector(spec.selector)`. */
export type LabelSelectorInput = string | Readonly<Record<string, string>> | LabelMatcher;

/** A compiled label selector: sent to the API server as text, evaluated locally by `matches`. */
export interface LabelMatcher {
  /** The value of the query parameter `labelSelector`. */
  readonly selectorText: string;
  matches(labels: Labels | undefined): boolean;
}

/** Compiles a label selector. `{}` and `""` match everything. Throws `PintleError` if a text cannot be parsed. */
export function createLabelMatcher(labels: LabelSelectorInput): LabelMatcher {
  if (typeof labels === "string") return buildMatcher(parseText(labels));
  if (typeof labels["matches"] === "function") return labels as LabelMatcher;
  return buildMatcher(Object.entries(labels).map(([key, value]) => ({ key, operator: "In", values: [value] })));
}

/** Compiles the LabelSelector of a spec. As everywhere in Kubernetes, an empty one matches everything and an absent one nothing. */
export function compileLabelSelector(selector: LabelSelector | undefined): LabelMatcher {
  if (selector === undefined) return { selectorText: "", matches: () => false };
  const equalities = Object.entries(selector.matchLabels ?? {}).map(
    ([key, value]): LabelRequirement => ({ key, operator: "In", values: [value] }),
  );
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }): LabelRequirement => {
    if (!["In", "NotIn", "Exists", "DoesNotExist"].includes(operator)) {
      throw new PintleError("PINTLE1041", `label selector: ${operator} is not an operator`);
    }
    return { key, operator, values };
  });
  return buildMatcher([...equalities, ...expressions]);
}

/** Evaluates the LabelSelector of a spec once, without compiling it. An empty one matches everything. */
export function matchesLabelSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => getLabel(labels, key) === value) &&
    matchExpressions.every((requirement) => matchesRequirement(requirement, getLabel(labels, requirement.key)))
  );
}

/** Returns whether a LabelSelector is absent or has no requirements. */
export function isEmptyLabelSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): boolean {
  return matchExpressions.length === 0 && Object.keys(matchLabels).length === 0;
}

function buildMatcher(requirements: readonly LabelRequirement[]): LabelMatcher {
  return {
    selectorText: requirements.map(formatRequirement).join(","),
    matches: (labels) => matchesRequirements(requirements, labels),
  };
}

function parseText(text: string): LabelRequirement[] {
  try {
    // A trailing comma is accepted here, though not by an API server, which gets the formatted requirements.
    return parseLabelSelector(text.replace(/,\s*$/, ""));
  } catch (error) {
    if (!(error instanceof LabelSelectorSyntaxError)) throw error;
    const rest = text.slice(error.offset).trim();
    throw new PintleError("PINTLE1040", `label selector ${JSON.stringify(text)}: cannot read ${JSON.stringify(rest)}`, { cause: error });
  }
}
