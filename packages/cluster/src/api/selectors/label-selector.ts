import { type LabelRequirement, LabelSelectorSyntaxError, parseLabelSelector } from "pintle/internal/selectors";
import { badRequest, validateLabelValue, validateQualifiedName } from "../../status/index.ts";

const VALIDATORS = { key: (key: string) => validateQualifiedName(key)[0], value: (value: string) => validateLabelValue(value)[0] };

/** Parses the query parameter `labelSelector`; requirements are sorted by key. Throws a 400 with the message of kube-apiserver. */
export function parseLabelSelectorParameter(text: string): readonly LabelRequirement[] {
  try {
    return parseLabelSelector(text, VALIDATORS).sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  } catch (error) {
    throw error instanceof LabelSelectorSyntaxError ? badRequest(error.message) : error;
  }
}
