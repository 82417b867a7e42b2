import type { LabelSelector } from "pintle/kinds";
import type { PodTemplateSpec } from "pintle/kinds/core/v1";
import { fieldError } from "../../status/index.ts";
import type { Unvalidated } from "../draft.ts";
import { isEmptySelector, matchesSelector, validateLabelSelector } from "./labels.ts";
import { validatePercent } from "./names.ts";
import { validatePodTemplate } from "./pod-spec.ts";
import { createInvalidErrors, type FieldErrors, printSelector, validateNonnegative } from "./validators.ts";

type Selector = Unvalidated<LabelSelector> | null | undefined;
type Template = Unvalidated<PodTemplateSpec> | null | undefined;

/** Requires a non-empty selector. */
export function* validateWorkloadSelector(field: string, selector: Selector, kind: string): FieldErrors {
  if (!selector) return yield fieldError.required(field);
  yield* validateLabelSelector(field, selector);
  if (isEmptySelector(selector)) yield fieldError.invalid(field, selector, `empty selector is invalid for ${kind}`);
}

interface SelectorAndTemplate {
  readonly selector?: Selector;
  readonly template?: Template;
}

/** Validates a selector, and that it matches the labels of the template if it is valid. */
export function* validateSelectorAndTemplate(
  { selector, template }: SelectorAndTemplate,
  kind: string,
  owner: string,
  unusable: string,
): FieldErrors {
  yield* validateWorkloadSelector("spec.selector", selector, kind);
  if (!isValidSelector(selector)) return yield fieldError.invalid("spec.selector", printSelector(selector), unusable);
  yield* validateTemplateLabels("spec.template", selector, template);
  yield* validateAlwaysRestartingTemplate("spec.template", template, owner);
}

function isValidSelector(selector: Selector): boolean {
  for (const _ of validateLabelSelector("", selector)) return false;
  return true;
}

/** Requires that the selector matches the template labels. An invalid selector is reported elsewhere. */
export function* validateTemplateLabels(field: string, selector: Selector, template: Template): FieldErrors {
  if (!isValidSelector(selector)) return;
  if (selector && matchesSelector(selector, template?.metadata?.labels)) return;
  const why = "`selector` does not match template `labels`";
  yield fieldError.invalid(`${field}.metadata.labels`, template?.metadata?.labels ?? null, why);
}

/** Validates a template of pods that are always restarted. */
export function* validateAlwaysRestartingTemplate(field: string, template: Template, kind: string): FieldErrors {
  yield* validatePodTemplate(field, template);
  const { restartPolicy, activeDeadlineSeconds } = template?.spec ?? {};
  if (restartPolicy !== "Always") yield fieldError.notSupported(`${field}.spec.restartPolicy`, restartPolicy ?? "", ["Always"]);
  if (activeDeadlineSeconds != null) {
    yield fieldError.forbidden(`${field}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`);
  }
}

export function validatePositiveOrPercent(field: string, value: number | string | null | undefined): FieldErrors {
  return typeof value === "string" ? createInvalidErrors(field, value, validatePercent(value)) : validateNonnegative(field, value);
}

export function* validateAtMostHundredPercent(field: string, value: number | string | null | undefined): FieldErrors {
  if (typeof value === "string" && validatePercent(value).length === 0 && Number.parseInt(value, 10) > 100) {
    yield fieldError.invalid(field, value, "must not be greater than 100%");
  }
}

export function parseIntOrPercent(value: number | string | null | undefined): number {
  return typeof value === "string" ? Number.parseInt(value, 10) || 0 : (value ?? 0);
}

type StatusCounts = Readonly<Record<string, unknown>> | null | undefined;

/** Requires that status counters are not negative, and that those of `within` do not exceed `replicas`. */
export function* validateStatusCounts(status: StatusCounts, names: readonly string[], within: readonly string[]): FieldErrors {
  const count = (name: string) => (status?.[name] ?? 0) as number;
  for (const name of names) yield* validateNonnegative(`status.${name}`, count(name));
  for (const name of within) {
    if (count(name) > count("replicas")) yield fieldError.invalid(`status.${name}`, count(name), "cannot be greater than status.replicas");
  }
}

type IntOrPercent = number | string | null | undefined;

/** Returns the value in the internal version, whose Go field names kube-apiserver prints in errors. */
export function toInternalRollingUpdate({
  maxUnavailable,
  maxSurge,
}: {
  readonly maxUnavailable?: IntOrPercent;
  readonly maxSurge?: IntOrPercent;
}): object {
  return { MaxUnavailable: maxUnavailable ?? 0, MaxSurge: maxSurge ?? 0 };
}
