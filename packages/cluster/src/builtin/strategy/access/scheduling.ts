import type { Lease } from "pintle/kinds/coordination/v1";
import type { RuntimeClass } from "pintle/kinds/node/v1";
import type { PriorityClass } from "pintle/kinds/scheduling/v1";
import { fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { leasePrinter, priorityClassPrinter, runtimeClassPrinter } from "../../printers/others.ts";
import { validateLabels } from "../../validation/labels.ts";
import { validateContainerResources } from "../../validation/resources.ts";
import { validateTolerations } from "../../validation/scheduling.ts";
import {
  type FieldErrors,
  printInternal,
  validateDnsLabelField,
  validateEnum,
  validateImmutableField,
  validateNonnegative,
  validatePositive,
} from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";

const HIGHEST_USER_PRIORITY = 1_000_000_000;
const SYSTEM_PRIORITIES: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2 * HIGHEST_USER_PRIORITY,
  "system-node-critical": 2 * HIGHEST_USER_PRIORITY + 1000,
};

export const priorityClassStrategy = defineStrategy<PriorityClass>({
  generation: () => false,
  validate: function* ({ metadata, value, preemptionPolicy }) {
    const name = metadata?.name ?? "";
    if (name.startsWith("system-") && SYSTEM_PRIORITIES[name] !== value) {
      const why =
        SYSTEM_PRIORITIES[name] === undefined
          ? `${name} is not a known system priority class`
          : `value of ${name} PriorityClass must be ${SYSTEM_PRIORITIES[name]}`;
      const text = `priority class names with 'system-' prefix are reserved for system use only. error: ${why}`;
      yield fieldError.forbidden("metadata.name", text);
    } else if (!name.startsWith("system-") && (value ?? 0) > HIGHEST_USER_PRIORITY) {
      yield fieldError.forbidden("value", `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`);
    }
    if (preemptionPolicy === "") yield fieldError.required("preemptionPolicy");
    else yield* validateEnum("preemptionPolicy", preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  },
  validateUpdate: function* (object, live) {
    if (object.value !== live.value) yield fieldError.forbidden("value", "may not be changed in an update.");
    yield* validateImmutableField("preemptionPolicy", object.preemptionPolicy, live.preemptionPolicy);
  },
  tablePrinter: priorityClassPrinter,
});

export const leaseStrategy = defineStrategy<Lease>({
  validate: function* ({ spec }) {
    yield* validatePositive("spec.leaseDurationSeconds", spec?.leaseDurationSeconds);
    yield* validateNonnegative("spec.leaseTransitions", spec?.leaseTransitions);
    if (spec?.preferredHolder && !spec.strategy) {
      yield fieldError.forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined");
    }
  },
  tablePrinter: leasePrinter,
});

export const runtimeClassStrategy = defineStrategy<RuntimeClass>({
  validate: validateRuntimeClass,
  validateUpdate: function* (object, live) {
    yield* validateRuntimeClass(object);
    yield* validateImmutableField("handler", object.handler, live.handler);
  },
  tablePrinter: runtimeClassPrinter,
});

function* validateRuntimeClass({ handler, overhead, scheduling }: Unvalidated<RuntimeClass>): FieldErrors {
  if (handler) yield* validateDnsLabelField("handler", handler);
  else yield fieldError.required("handler");
  if (overhead) yield* validateContainerResources("overhead", { limits: overhead.podFixed }, new Set());
  yield* validateLabels("scheduling.nodeSelector", scheduling?.nodeSelector);
  yield* validateTolerations("scheduling.tolerations", scheduling?.tolerations);
  const seen = new Set<string>();
  for (const [i, { key, operator, value, effect, tolerationSeconds }] of (scheduling?.tolerations ?? []).entries()) {
    const fields = { Key: key ?? "", Operator: operator ?? "", Value: value ?? "", Effect: effect ?? "" };
    const fieldsKey = JSON.stringify(fields);
    const internal = printInternal({ ...fields, TolerationSeconds: tolerationSeconds ?? null });
    if (seen.has(fieldsKey)) yield fieldError.duplicate(`scheduling.tolerations[${i}]`, internal);
    seen.add(fieldsKey);
  }
}
