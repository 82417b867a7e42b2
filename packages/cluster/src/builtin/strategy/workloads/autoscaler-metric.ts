import type { MetricIdentifier, MetricSpec, MetricTarget } from "pintle/kinds/autoscaling/v2";
import { fieldError, validatePathSegment } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { nanos } from "../../quantities.ts";
import { validateContainerResourceName } from "../../validation/resources.ts";
import { createInvalidErrors, type FieldErrors, validateDnsLabelField, validateRequired } from "../../validation/validators.ts";
import { type ReferenceRule, validateObjectReference } from "./object-reference.ts";

/** The field of each metric type. */
const METRIC_FIELDS = {
  Object: "object",
  Pods: "pods",
  Resource: "resource",
  External: "external",
  ContainerResource: "containerResource",
} as const;
const METRIC_TYPES = Object.keys(METRIC_FIELDS).sort();

type MetricField = (typeof METRIC_FIELDS)[keyof typeof METRIC_FIELDS];
type MetricValidators = {
  readonly [F in MetricField]: (field: string, source: NonNullable<Unvalidated<MetricSpec>[F]>, rule: ReferenceRule) => FieldErrors;
};

/** Validators in the order of kube-apiserver: only the first source is validated. */
const METRIC_VALIDATORS: MetricValidators = {
  *object(field, { describedObject, metric, target }, rule) {
    yield* validateObjectReference(`${field}.describedObject`, describedObject, rule);
    yield* validateMetricIdentifier(`${field}.metric`, metric);
    yield* validateMetricTarget(`${field}.target`, target);
    if (target?.value == null && target?.averageValue == null) {
      yield fieldError.required(`${field}.target.averageValue`, "must set either a target value or averageValue");
    }
  },
  *external(field, { metric, target }) {
    yield* validateMetricIdentifier(`${field}.metric`, metric);
    yield* validateMetricTarget(`${field}.target`, target);
    const specified = [target?.value, target?.averageValue].filter((value) => value != null).length;
    if (specified === 0) {
      yield fieldError.required(`${field}.target.averageValue`, "must set either a target value for metric or a per-pod target");
    }
    if (specified === 2)
      yield fieldError.forbidden(`${field}.target.value`, "may not set both a target value for metric and a per-pod target");
  },
  *pods(field, { metric, target }) {
    yield* validateMetricIdentifier(`${field}.metric`, metric);
    yield* validateMetricTarget(`${field}.target`, target);
    if (target?.averageValue == null) {
      yield fieldError.required(`${field}.target.averageValue`, "must specify a positive target averageValue");
    }
  },
  *resource(field, { name, target }) {
    yield* validateRequired(`${field}.name`, name, "must specify a resource name");
    yield* validateUtilizationTarget(`${field}.target`, target);
  },
  *containerResource(field, { name, container, target }) {
    yield* validateRequired(`${field}.name`, name, "must specify a resource name");
    if (name) yield* validateContainerResourceName(`${field}.name`, name);
    yield* validateRequired(`${field}.container`, container, "must specify a container");
    if (container) yield* validateDnsLabelField(`${field}.container`, container);
    yield* validateUtilizationTarget(`${field}.target`, target);
  },
};

/** `rule` applies to the object of an Object metric. */
export function* validateMetric(field: string, metric: Unvalidated<MetricSpec>, rule: ReferenceRule): FieldErrors {
  const { type } = metric;
  if (!type) yield fieldError.required(`${field}.type`, "must specify a metric source type");
  const expected = METRIC_FIELDS[type as keyof typeof METRIC_FIELDS];
  if (expected === undefined) yield fieldError.notSupported(`${field}.type`, type ?? "", METRIC_TYPES);
  const specified = (Object.keys(METRIC_VALIDATORS) as MetricField[]).filter((each) => metric[each] != null);
  const [first] = specified;
  if (first !== undefined) yield* METRIC_VALIDATORS[first](`${field}.${first}`, metric[first] as never, rule);
  if (expected === undefined) yield fieldError.notSupported(`${field}.type`, type ?? "", METRIC_TYPES);
  else if (metric[expected] == null) {
    yield fieldError.required(`${field}.${expected}`, "must populate information for the given metric source");
  }
  if (specified.length < 2) return;
  for (const other of specified) {
    if (other !== expected) yield fieldError.forbidden(`${field}.${other}`, "must populate the given metric source only");
  }
}

function* validateUtilizationTarget(field: string, target: Unvalidated<MetricTarget> | null | undefined): FieldErrors {
  yield* validateMetricTarget(field, target);
  const specified = [target?.averageUtilization, target?.averageValue].filter((value) => value != null).length;
  if (specified === 0)
    yield fieldError.required(`${field}.averageUtilization`, "must set either a target raw value or a target utilization");
  if (specified === 2) yield fieldError.forbidden(`${field}.averageValue`, "may not set both a target raw value and a target utilization");
}

export function* validateMetricTarget(field: string, target: Unvalidated<MetricTarget> | null | undefined): FieldErrors {
  const { type = "", value, averageValue, averageUtilization } = target ?? {};
  if (!type) yield fieldError.required(`${field}.type`, "must specify a metric target type");
  if (!["Utilization", "Value", "AverageValue"].includes(type ?? "")) {
    yield fieldError.invalid(`${field}.type`, type ?? "", "must be either Utilization, Value, or AverageValue");
  }
  for (const [name, quantity] of Object.entries({ value, averageValue })) {
    if (quantity != null && nanos(quantity) <= 0n) yield fieldError.invalid(`${field}.${name}`, quantity, "must be positive");
  }
  if (averageUtilization != null && averageUtilization < 1) {
    yield fieldError.invalid(`${field}.averageUtilization`, averageUtilization, "must be greater than 0");
  }
}

function* validateMetricIdentifier(field: string, metric: Unvalidated<MetricIdentifier> | null | undefined): FieldErrors {
  yield* validateRequired(`${field}.name`, metric?.name, "must specify a metric name");
  if (metric?.name) yield* createInvalidErrors(`${field}.name`, metric.name, validatePathSegment(metric.name));
}
