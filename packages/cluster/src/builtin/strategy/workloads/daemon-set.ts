import { isJsonObject } from "pintle/internal/json";
import { isJsonEqual } from "pintle/internal/merge";
import type { ControllerRevision, DaemonSet, DaemonSetSpec } from "pintle/kinds/apps/v1";
import { fieldError } from "../../../status/index.ts";
import { TEMPLATE_GENERATION_ANNOTATION } from "../../defaulting/index.ts";
import type { Draft, Unvalidated } from "../../draft.ts";
import { controllerRevisionPrinter, daemonSetPrinter } from "../../printers/workloads.ts";
import { isEmptySelector, validateLabelSelector } from "../../validation/labels.ts";
import { getTemplateWarnings } from "../../validation/pod-warnings.ts";
import {
  type FieldErrors,
  isSemanticallyEqual,
  printInternal,
  printSelector,
  validateImmutableField,
  validateNonnegative,
} from "../../validation/validators.ts";
import {
  parseIntOrPercent,
  toInternalRollingUpdate,
  validateAlwaysRestartingTemplate,
  validateAtMostHundredPercent,
  validatePositiveOrPercent,
  validateStatusCounts,
  validateTemplateLabels,
} from "../../validation/workload.ts";
import { defineStrategy } from "../kind-strategy.ts";

export const daemonSetStrategy = defineStrategy<DaemonSet>({
  prepareForCreate: (draft) => setTemplateGeneration(draft, "1"),
  prepareForUpdate(draft, live) {
    const was = live.metadata?.annotations?.[TEMPLATE_GENERATION_ANNOTATION] ?? "0";
    const same = isJsonEqual((draft.spec?.template ?? null) as never, (live.spec?.template ?? null) as never);
    setTemplateGeneration(draft, same ? was : String(Number(was) + 1));
  },
  validate: ({ spec }) => validateSpec(spec ?? {}),
  validateUpdate: function* ({ spec }, live) {
    yield* validateImmutableField("spec.selector", spec?.selector, live.spec?.selector);
    yield* validateSpec(spec ?? {});
  },
  status: {
    validate: ({ status }) =>
      validateStatusCounts(
        status,
        `currentNumberScheduled numberMisscheduled desiredNumberScheduled numberReady observedGeneration updatedNumberScheduled
         numberAvailable numberUnavailable collisionCount`.split(/\s+/),
        [],
      ),
  },
  warnings: (object, live) =>
    isSemanticallyEqual(object.spec?.template, live?.spec?.template) ? [] : getTemplateWarnings("spec.template", object.spec?.template),
  tablePrinter: daemonSetPrinter,
});

function setTemplateGeneration({ metadata }: Draft<DaemonSet>, generation: string): void {
  if (metadata) metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION_ANNOTATION]: generation };
}

function* validateSpec(spec: Unvalidated<DaemonSetSpec>): FieldErrors {
  yield* validateLabelSelector("spec.selector", spec.selector);
  yield* validateTemplateLabels("spec.template", spec.selector, spec.template);
  if (spec.selector && isEmptySelector(spec.selector)) {
    yield fieldError.invalid("spec.selector", printSelector(spec.selector), "empty selector is invalid for daemonset");
  }
  yield* validateAlwaysRestartingTemplate("spec.template", spec.template, "DaemonSet");
  yield* validateNonnegative("spec.minReadySeconds", spec.minReadySeconds);
  yield* validateUpdateStrategy("spec.updateStrategy", spec);
  yield* validateNonnegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit);
}

function* validateUpdateStrategy(field: string, { updateStrategy: of }: Unvalidated<DaemonSetSpec>): FieldErrors {
  if (of?.type === "OnDelete") return;
  const rolling = of?.rollingUpdate;
  if (of?.type !== "RollingUpdate") {
    const internal = { Type: of?.type ?? "", RollingUpdate: rolling ? toInternalRollingUpdate(rolling) : null };
    return yield fieldError.notSupported(field, printInternal(internal), ["RollingUpdate", "OnDelete"]);
  }
  const at = `${field}.rollingUpdate`;
  if (!rolling) return yield fieldError.required(at);
  for (const name of ["maxUnavailable", "maxSurge"] as const) yield* validatePositiveOrPercent(`${at}.${name}`, rolling[name]);
  for (const name of ["maxUnavailable", "maxSurge"] as const) yield* validateAtMostHundredPercent(`${at}.${name}`, rolling[name]);
  const unavailable = parseIntOrPercent(rolling.maxUnavailable) !== 0;
  const surge = parseIntOrPercent(rolling.maxSurge) !== 0;
  if (unavailable && surge) yield fieldError.invalid(`${at}.maxSurge`, rolling.maxSurge, "may not be set when maxUnavailable is non-zero");
  if (!unavailable && !surge) yield fieldError.required(`${at}.maxUnavailable`, "cannot be 0 when maxSurge is 0");
}

export const controllerRevisionStrategy = defineStrategy<ControllerRevision>({
  validate: function* ({ revision, data }) {
    yield* validateNonnegative("revision", revision);
    if (data == null) yield fieldError.required("data", "data is mandatory");
    else if (!isJsonObject(data)) yield fieldError.required("data", "data must be a valid JSON object");
  },
  validateUpdate: function* (object, live) {
    yield* validateNonnegative("revision", object.revision);
    yield* validateImmutableField("data", object.data, live.data);
  },
  tablePrinter: controllerRevisionPrinter,
});
