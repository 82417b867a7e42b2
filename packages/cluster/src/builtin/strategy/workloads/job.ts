import type { Job, JobSpec } from "pintle/kinds/batch/v1";
import { fieldError, validateDnsLabel } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { jobPrinter } from "../../printers/workloads.ts";
import { validateLabelSelector } from "../../validation/labels.ts";
import { validatePodTemplate } from "../../validation/pod-spec.ts";
import { getTemplateWarnings } from "../../validation/pod-warnings.ts";
import {
  type FieldErrors,
  isSemanticallyEqual,
  printSelector,
  validateEnum,
  validateImmutableField,
  validateNonnegative,
} from "../../validation/validators.ts";
import { validateTemplateLabels } from "../../validation/workload.ts";
import { defineStrategy } from "../kind-strategy.ts";
import { validateJobStatus } from "./job-status.ts";

const UID_LABEL = "batch.kubernetes.io/controller-uid";
/** Generated labels of a job's pods, and the metadata fields they are set from. */
const POD_LABELS = { "controller-uid": "uid", "job-name": "name", [UID_LABEL]: "uid", "batch.kubernetes.io/job-name": "name" } as const;

export const jobStrategy = defineStrategy<Job>({
  prepareForCreate({ metadata, spec }) {
    if (!spec || !metadata || spec.manualSelector) return;
    spec.template ??= {};
    spec.template.metadata ??= {};
    const own = Object.fromEntries(Object.entries(POD_LABELS).map(([label, field]) => [label, metadata[field] ?? ""]));
    // A job without labels gets those of its pod template.
    const shared = Object.keys(metadata.labels ?? {}).length === 0 || hasSameLabels(metadata.labels, spec.template.metadata.labels);
    spec.template.metadata.labels = { ...own, ...spec.template.metadata.labels };
    spec.selector ??= {};
    spec.selector.matchLabels = { [UID_LABEL]: metadata.uid, ...spec.selector.matchLabels };
    if (shared) metadata.labels = { ...spec.template.metadata.labels };
  },
  validate: function* (object) {
    yield* validateGeneratedSelector(object);
    yield* validateSpec(object.spec ?? {});
    const { completionMode, completions } = object.spec ?? {};
    if (completionMode !== "Indexed" || !completions) return;
    const name = object.metadata?.name ?? "";
    const longest = `${name}-${completions - 1}`;
    if (validateDnsLabel(longest).length === 0) return;
    yield fieldError.invalid("metadata.name", name, `will not able to create pod with invalid DNS label: ${longest}`);
  },
  validateUpdate: function* (object, live) {
    const { spec } = object;
    yield* validateGeneratedSelector(object);
    yield* validateSpec(spec ?? {});
    yield* validateCompletions(spec ?? {}, live.spec ?? {});
    yield* validateImmutableField("spec.selector", spec?.selector, live.spec?.selector);
    if (isSuspendedAndIdle(live))
      yield* validateImmutableField("spec.template.spec", spec?.template?.spec, withMutableFields(live, spec)?.spec);
    else yield* validateImmutableField("spec.template", spec?.template, live.spec?.template);
    for (const name of ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"] as const) {
      yield* validateImmutableField(`spec.${name}`, spec?.[name], live.spec?.[name]);
    }
  },
  status: { validate: validateJobStatus },
  deletion: {
    defaultPropagation: "Orphan",
    warning:
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  },
  selectableFields: { "status.successful": ({ status }) => String(status?.succeeded ?? 0) },
  warnings: (object, live) =>
    isSemanticallyEqual(object.spec?.template, live?.spec?.template) ? [] : getTemplateWarnings("spec.template", object.spec?.template),
  tablePrinter: jobPrinter,
});

function hasSameLabels(a: object | null | undefined, b: object | null | undefined): boolean {
  const text = (labels: object | null | undefined) => JSON.stringify(Object.entries(labels ?? {}).sort());
  return text(a) === text(b);
}

function* validateGeneratedSelector({ metadata, spec }: Unvalidated<Job>): FieldErrors {
  if (spec?.manualSelector || !spec?.selector) return;
  const found = spec.template?.metadata?.labels;
  for (const [label, field] of Object.entries(POD_LABELS)) {
    const expected = metadata?.[field as "uid" | "name"] ?? "";
    if (found?.[label] === expected) continue;
    const at = `spec.template.metadata.labels[${label}]`;
    if (found?.[label] == null) yield fieldError.required(at, `must be '${expected}'`);
    else yield fieldError.invalid(at, found, `must be '${expected}'`);
  }
  const wrong = Object.entries(spec.selector.matchLabels ?? {}).some(([label, value]) => {
    const field = POD_LABELS[label as keyof typeof POD_LABELS];
    return field === undefined || metadata?.[field] !== value;
  });
  if (wrong) yield fieldError.invalid("spec.selector", printSelector(spec.selector), "`selector` not auto-generated");
}

function* validateCompletions(spec: Unvalidated<JobSpec>, was: Unvalidated<JobSpec>): FieldErrors {
  if (spec.completionMode !== "Indexed") yield* validateImmutableField("spec.completions", spec.completions, was.completions);
  else if (spec.completions != null && spec.completions !== was.completions && spec.completions !== spec.parallelism) {
    yield fieldError.invalid("spec.completions", spec.completions, "can only be modified in tandem with spec.parallelism");
  }
}

/** Returns whether the job is suspended without active pods, so that scheduling directives may change. */
function isSuspendedAndIdle({ spec, status }: Unvalidated<Job>): boolean {
  const isSuspended = status?.conditions?.some(({ type, status: is }) => type === "Suspended" && is === "True");
  return !!spec?.suspend && (!status?.startTime || !!isSuspended) && !status?.active;
}

/** Returns the live template with the fields of the new one that may change: scheduling directives and container resources. */
function withMutableFields(live: Unvalidated<Job>, spec: Unvalidated<JobSpec> | null | undefined): Unvalidated<JobSpec>["template"] {
  const was = live.spec?.template;
  const now = spec?.template?.spec;
  const { nodeSelector, tolerations, schedulingGates, affinity } = now ?? {};
  const nodes = { ...was?.spec?.affinity, nodeAffinity: affinity?.nodeAffinity };
  const withNewResources = (list: "containers" | "initContainers") =>
    was?.spec?.[list]?.map((container, i) => ({ ...container, resources: now?.[list]?.[i]?.resources }));
  return {
    ...was,
    spec: {
      ...was?.spec,
      nodeSelector,
      tolerations,
      schedulingGates,
      affinity: affinity || was?.spec?.affinity ? nodes : undefined,
      containers: withNewResources("containers"),
      initContainers: withNewResources("initContainers"),
    },
  };
}

function* validateSpec(spec: Unvalidated<JobSpec>): FieldErrors {
  yield* validateJobSpec("spec", spec);
  if (!spec.selector) yield fieldError.required("spec.selector");
  else yield* validateLabelSelector("spec.selector", spec.selector);
  yield* validateTemplateLabels("spec.template", spec.selector, spec.template);
}

/** Validates a job spec without its selector; also used for the template of a cron job. */
export function* validateJobSpec(field: string, spec: Unvalidated<JobSpec>): FieldErrors {
  for (const name of [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  ] as const) {
    yield* validateNonnegative(`${field}.${name}`, spec[name]);
  }
  if (spec.maxFailedIndexes != null && spec.backoffLimitPerIndex == null) {
    yield fieldError.required(`${field}.backoffLimitPerIndex`, "when maxFailedIndexes is specified");
  }
  yield* validateEnum(`${field}.completionMode`, spec.completionMode, ["NonIndexed", "Indexed"]);
  yield* validateIndexed(field, spec);
  if (spec.successPolicy && spec.completionMode !== "Indexed") {
    yield fieldError.invalid(`${field}.successPolicy`, spec.successPolicy, "requires indexed completion mode");
  }
  yield* validateEnum(`${field}.podReplacementPolicy`, spec.podReplacementPolicy, ["Failed", "TerminatingOrFailed"]);
  yield* validatePodTemplate(`${field}.template`, spec.template);
  yield* validateRestartPolicy(`${field}.template.spec.restartPolicy`, spec);
}

function* validateIndexed(field: string, spec: Unvalidated<JobSpec>): FieldErrors {
  if (spec.completionMode === "Indexed") {
    if (spec.completions == null) yield fieldError.required(`${field}.completions`, "when completion mode is Indexed");
    if ((spec.parallelism ?? 0) > 100_000) {
      const why = "must be less than or equal to 100000 when completion mode is Indexed";
      yield fieldError.invalid(`${field}.parallelism`, spec.parallelism, why);
    }
    if (spec.maxFailedIndexes != null && spec.completions != null && spec.maxFailedIndexes > spec.completions) {
      yield fieldError.invalid(`${field}.maxFailedIndexes`, spec.maxFailedIndexes, "must be less than or equal to completions");
    }
    return;
  }
  if (spec.completionMode !== "NonIndexed") return;
  for (const name of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
    if (spec[name] != null) yield fieldError.invalid(`${field}.${name}`, spec[name], "requires indexed completion mode");
  }
}

function* validateRestartPolicy(field: string, spec: Unvalidated<JobSpec>): FieldErrors {
  const policy = spec.template?.spec?.restartPolicy;
  if (!policy || policy === "Always") yield fieldError.required(field, 'valid values: "OnFailure", "Never"');
  else if (policy !== "OnFailure" && policy !== "Never") yield fieldError.notSupported(field, policy, ["OnFailure", "Never"]);
  else if (spec.podFailurePolicy && policy !== "Never") {
    yield fieldError.invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified');
  }
}
