import type { LabelSelector } from "pintle/kinds";
import type { PodTemplateSpec } from "pintle/kinds/core/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { percentProblems } from "../text/names.ts";
import { isEmptySelector, labelSelector, selects } from "./labels.ts";
import { podTemplate } from "./pod-spec.ts";
import { invalidFor, nonnegative, type Problems, shownSelector } from "./problems.ts";

type Selector = Loose<LabelSelector> | null | undefined;
type Template = Loose<PodTemplateSpec> | null | undefined;

/** A selector that must be there and say something. */
export function* workloadSelector(field: string, selector: Selector, kind: string): Problems {
  if (!selector) return yield fieldError.required(field);
  yield* labelSelector(field, selector);
  if (isEmptySelector(selector)) yield fieldError.invalid(field, selector, `empty selector is invalid for ${kind}`);
}

interface Selecting {
  readonly selector?: Selector;
  readonly template?: Template;
}

/** A selector, and a template that must make pods it finds; with a selector that is none, that cannot be told. */
export function* selectedTemplate({ selector, template }: Selecting, kind: string, owner: string, unusable: string): Problems {
  yield* workloadSelector("spec.selector", selector, kind);
  if (!isUsable(selector)) return yield fieldError.invalid("spec.selector", shownSelector(selector), unusable);
  yield* templateLabels("spec.template", selector, template);
  yield* lastingTemplate("spec.template", template, owner);
}

function isUsable(selector: Selector): boolean {
  for (const _ of labelSelector("", selector)) return false;
  return true;
}

/** Without a selector no label matches; an empty one has been found wanting before. */
export function* templateLabels(field: string, selector: Selector, template: Template): Problems {
  const matches = selector && selects(selector, template?.metadata?.labels);
  if (matches || !isUsable(selector)) return;
  const why = "`selector` does not match template `labels`";
  yield fieldError.invalid(`${field}.metadata.labels`, template?.metadata?.labels ?? null, why);
}

/** The pods of something that keeps them running. */
export function* lastingTemplate(field: string, template: Template, kind: string): Problems {
  yield* podTemplate(field, template);
  const { restartPolicy, activeDeadlineSeconds } = template?.spec ?? {};
  if (restartPolicy !== "Always") yield fieldError.notSupported(`${field}.spec.restartPolicy`, restartPolicy ?? "", ["Always"]);
  if (activeDeadlineSeconds != null) {
    yield fieldError.forbidden(`${field}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`);
  }
}

export function positiveOrPercent(field: string, value: number | string | null | undefined): Problems {
  return typeof value === "string" ? invalidFor(field, value, percentProblems(value)) : nonnegative(field, value);
}

export function* atMostWhole(field: string, value: number | string | null | undefined): Problems {
  if (typeof value === "string" && percentProblems(value).length === 0 && Number.parseInt(value, 10) > 100) {
    yield fieldError.invalid(field, value, "must not be greater than 100%");
  }
}

export function amount(value: number | string | null | undefined): number {
  return typeof value === "string" ? Number.parseInt(value, 10) || 0 : (value ?? 0);
}

type Counts = Readonly<Record<string, unknown>> | null | undefined;

/** Counters of a status: none below zero, and none of `within` above `replicas`. */
export function* statusCounts(status: Counts, names: readonly string[], within: readonly string[]): Problems {
  const count = (name: string) => (status?.[name] ?? 0) as number;
  for (const name of names) yield* nonnegative(`status.${name}`, count(name));
  for (const name of within) {
    if (count(name) > count("replicas")) yield fieldError.invalid(`status.${name}`, count(name), "cannot be greater than status.replicas");
  }
}

type Share = number | string | null | undefined;

/** As the server's own type is written, which is not the one it publishes. */
export function rollingText({ maxUnavailable, maxSurge }: { readonly maxUnavailable?: Share; readonly maxSurge?: Share }): object {
  return { MaxUnavailable: maxUnavailable ?? 0, MaxSurge: maxSurge ?? 0 };
}
