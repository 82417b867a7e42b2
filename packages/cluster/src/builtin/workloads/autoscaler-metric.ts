import type { MetricIdentifier, MetricSpec, MetricTarget } from "pintle/kinds/autoscaling/v2";
import { fieldError, pathSegmentProblems } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { nanos } from "../text/quantities.ts";
import { dnsLabel, invalidFor, type Problems, required } from "../validate/problems.ts";
import { containerResourceName } from "../validate/resources.ts";

/** The field of a metric by its type. */
const FIELDS = {
  Object: "object",
  Pods: "pods",
  Resource: "resource",
  External: "external",
  ContainerResource: "containerResource",
} as const;
const TYPES = Object.keys(FIELDS).sort();

type Field = (typeof FIELDS)[keyof typeof FIELDS];
type Sources = { readonly [F in Field]: (field: string, source: NonNullable<Loose<MetricSpec>[F]>) => Problems };

/** In the order the server looks at them: only the first that is there is looked into. */
const SOURCES: Sources = {
  *object(field, { describedObject, metric, target }) {
    yield* required(`${field}.describedObject.kind`, describedObject?.kind);
    yield* required(`${field}.describedObject.name`, describedObject?.name);
    yield* identifier(`${field}.metric`, metric);
    yield* targetProblems(`${field}.target`, target);
    if (target?.value == null && target?.averageValue == null) {
      yield fieldError.required(`${field}.target.averageValue`, "must set either a target value or averageValue");
    }
  },
  *external(field, { metric, target }) {
    yield* identifier(`${field}.metric`, metric);
    yield* targetProblems(`${field}.target`, target);
    const given = [target?.value, target?.averageValue].filter((value) => value != null).length;
    if (given === 0) {
      yield fieldError.required(`${field}.target.averageValue`, "must set either a target value for metric or a per-pod target");
    }
    if (given === 2) yield fieldError.forbidden(`${field}.target.value`, "may not set both a target value for metric and a per-pod target");
  },
  *pods(field, { metric, target }) {
    yield* identifier(`${field}.metric`, metric);
    yield* targetProblems(`${field}.target`, target);
    if (target?.averageValue == null) {
      yield fieldError.required(`${field}.target.averageValue`, "must specify a positive target averageValue");
    }
  },
  *resource(field, { name, target }) {
    yield* required(`${field}.name`, name, "must specify a resource name");
    yield* utilization(`${field}.target`, target);
  },
  *containerResource(field, { name, container, target }) {
    yield* required(`${field}.name`, name, "must specify a resource name");
    if (name) yield* containerResourceName(`${field}.name`, name);
    yield* required(`${field}.container`, container, "must specify a container");
    if (container) yield* dnsLabel(`${field}.container`, container);
    yield* utilization(`${field}.target`, target);
  },
};

export function* metricProblems(field: string, metric: Loose<MetricSpec>): Problems {
  const { type } = metric;
  if (!type) yield fieldError.required(`${field}.type`, "must specify a metric source type");
  const expected = FIELDS[type as keyof typeof FIELDS];
  if (expected === undefined) yield fieldError.notSupported(`${field}.type`, type ?? "", TYPES);
  const given = (Object.keys(SOURCES) as Field[]).filter((each) => metric[each] != null);
  const [first] = given;
  if (first !== undefined) yield* SOURCES[first](`${field}.${first}`, metric[first] as never);
  if (expected === undefined) yield fieldError.notSupported(`${field}.type`, type ?? "", TYPES);
  else if (metric[expected] == null) {
    yield fieldError.required(`${field}.${expected}`, "must populate information for the given metric source");
  }
  if (given.length < 2) return;
  for (const other of given) {
    if (other !== expected) yield fieldError.forbidden(`${field}.${other}`, "must populate the given metric source only");
  }
}

function* utilization(field: string, target: Loose<MetricTarget> | null | undefined): Problems {
  yield* targetProblems(field, target);
  const given = [target?.averageUtilization, target?.averageValue].filter((value) => value != null).length;
  if (given === 0) yield fieldError.required(`${field}.averageUtilization`, "must set either a target raw value or a target utilization");
  if (given === 2) yield fieldError.forbidden(`${field}.averageValue`, "may not set both a target raw value and a target utilization");
}

export function* targetProblems(field: string, target: Loose<MetricTarget> | null | undefined): Problems {
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

function* identifier(field: string, metric: Loose<MetricIdentifier> | null | undefined): Problems {
  yield* required(`${field}.name`, metric?.name, "must specify a metric name");
  if (metric?.name) yield* invalidFor(`${field}.name`, metric.name, pathSegmentProblems(metric.name));
}
