/**
 * Label selectors: the only implementation of their parsing, matching and formatting, used by the cache, the simulated client and the
 * embedded control plane.
 *
 * In: the text form (`app in (web, api), !legacy`), a map of labels, or the LabelSelector of a spec. Out: requirements, matchers, text.
 * Labels are looked up as own properties, so `constructor` or `__proto__` count as present only on an object that has such a label.
 */
export { formatLabelSelector, formatRequirement } from "./format-label-selector.ts";
export {
  compileLabelSelector,
  createLabelMatcher,
  isEmptyLabelSelector,
  type LabelMatcher,
  type LabelSelectorInput,
  matchesLabelSelector,
} from "./label-matcher.ts";
export { LabelSelectorSyntaxError, type LabelSelectorValidators, parseLabelSelector } from "./parse-label-selector.ts";
export { getLabel, type LabelRequirement, type Labels, matchesRequirement, matchesRequirements } from "./requirement.ts";
