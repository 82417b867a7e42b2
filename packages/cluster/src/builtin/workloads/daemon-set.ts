import { isObject } from "pintle/kinds";
import type { ControllerRevision, DaemonSet, DaemonSetSpec } from "pintle/kinds/apps/v1";
import { equal } from "pintle/merge";
import { fieldError } from "../../status/index.ts";
import { TEMPLATE_GENERATION } from "../defaults/index.ts";
import type { Draft, Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { controllerRevisionTable, daemonSetTable } from "../table/workloads.ts";
import { isEmptySelector, labelSelector } from "../validate/labels.ts";
import { templateWarnings } from "../validate/pod-warnings.ts";
import { immutable, inner, nonnegative, type Problems, same, shownSelector } from "../validate/problems.ts";
import {
  amount,
  atMostWhole,
  lastingTemplate,
  positiveOrPercent,
  rollingText,
  statusCounts,
  templateLabels,
} from "../validate/workload.ts";

export const daemonSet = rules<DaemonSet>({
  prepareCreate: (draft) => setTemplateGeneration(draft, "1"),
  prepareUpdate(draft, live) {
    const was = live.metadata?.annotations?.[TEMPLATE_GENERATION] ?? "0";
    const same = equal((draft.spec?.template ?? null) as never, (live.spec?.template ?? null) as never);
    setTemplateGeneration(draft, same ? was : String(Number(was) + 1));
  },
  validate: ({ spec }) => validateSpec(spec ?? {}),
  validateUpdate: function* ({ spec }, live) {
    yield* immutable("spec.selector", spec?.selector, live.spec?.selector);
    yield* validateSpec(spec ?? {});
  },
  status: {
    validate: ({ status }) =>
      statusCounts(
        status,
        `currentNumberScheduled numberMisscheduled desiredNumberScheduled numberReady observedGeneration updatedNumberScheduled
         numberAvailable numberUnavailable collisionCount`.split(/\s+/),
        [],
      ),
  },
  warnings: (object, live) =>
    same(object.spec?.template, live?.spec?.template) ? [] : templateWarnings("spec.template", object.spec?.template),
  table: daemonSetTable,
});

function setTemplateGeneration({ metadata }: Draft<DaemonSet>, generation: string): void {
  if (metadata) metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: generation };
}

function* validateSpec(spec: Loose<DaemonSetSpec>): Problems {
  yield* labelSelector("spec.selector", spec.selector);
  yield* templateLabels("spec.template", spec.selector, spec.template);
  if (spec.selector && isEmptySelector(spec.selector)) {
    yield fieldError.invalid("spec.selector", shownSelector(spec.selector), "empty selector is invalid for daemonset");
  }
  yield* lastingTemplate("spec.template", spec.template, "DaemonSet");
  yield* nonnegative("spec.minReadySeconds", spec.minReadySeconds);
  yield* updateStrategy("spec.updateStrategy", spec);
  yield* nonnegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit);
}

function* updateStrategy(field: string, { updateStrategy: of }: Loose<DaemonSetSpec>): Problems {
  if (of?.type === "OnDelete") return;
  const rolling = of?.rollingUpdate;
  if (of?.type !== "RollingUpdate") {
    const shown = { Type: of?.type ?? "", RollingUpdate: rolling ? rollingText(rolling) : null };
    return yield fieldError.notSupported(field, inner(shown), ["RollingUpdate", "OnDelete"]);
  }
  const at = `${field}.rollingUpdate`;
  if (!rolling) return yield fieldError.required(at);
  for (const name of ["maxUnavailable", "maxSurge"] as const) yield* positiveOrPercent(`${at}.${name}`, rolling[name]);
  for (const name of ["maxUnavailable", "maxSurge"] as const) yield* atMostWhole(`${at}.${name}`, rolling[name]);
  const unavailable = amount(rolling.maxUnavailable) !== 0;
  const surge = amount(rolling.maxSurge) !== 0;
  if (unavailable && surge) yield fieldError.invalid(`${at}.maxSurge`, rolling.maxSurge, "may not be set when maxUnavailable is non-zero");
  if (!unavailable && !surge) yield fieldError.required(`${at}.maxUnavailable`, "cannot be 0 when maxSurge is 0");
}

export const controllerRevision = rules<ControllerRevision>({
  validate: function* ({ revision, data }) {
    yield* nonnegative("revision", revision);
    if (data == null) yield fieldError.required("data", "data is mandatory");
    else if (!isObject(data)) yield fieldError.required("data", "data must be a valid JSON object");
  },
  validateUpdate: function* (object, live) {
    yield* nonnegative("revision", object.revision);
    yield* immutable("data", object.data, live.data);
  },
  table: controllerRevisionTable,
});
