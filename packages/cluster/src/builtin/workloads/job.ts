import type { Job, JobSpec } from "pintle/kinds/batch/v1";
import { dnsLabelProblems, fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { jobTable } from "../table/workloads.ts";
import { labelSelector } from "../validate/labels.ts";
import { podTemplate } from "../validate/pod-spec.ts";
import { templateWarnings } from "../validate/pod-warnings.ts";
import { immutable, maybeOneOf, nonnegative, type Problems, same, shownSelector } from "../validate/problems.ts";
import { templateLabels } from "../validate/workload.ts";
import { validateJobStatus } from "./job-status.ts";

const UID_LABEL = "batch.kubernetes.io/controller-uid";
/** Labels of a job's pods, and what in its metadata they repeat. */
const LABELS = { "controller-uid": "uid", "job-name": "name", [UID_LABEL]: "uid", "batch.kubernetes.io/job-name": "name" } as const;

export const job = rules<Job>({
  prepareCreate({ metadata, spec }) {
    if (!spec || !metadata || spec.manualSelector) return;
    spec.template ??= {};
    spec.template.metadata ??= {};
    const own = Object.fromEntries(Object.entries(LABELS).map(([label, field]) => [label, metadata[field] ?? ""]));
    // Without labels of its own, a job has those of its pods.
    const shared = Object.keys(metadata.labels ?? {}).length === 0 || sameLabels(metadata.labels, spec.template.metadata.labels);
    spec.template.metadata.labels = { ...own, ...spec.template.metadata.labels };
    spec.selector ??= {};
    spec.selector.matchLabels = { [UID_LABEL]: metadata.uid, ...spec.selector.matchLabels };
    if (shared) metadata.labels = { ...spec.template.metadata.labels };
  },
  validate: function* (object) {
    yield* generatedSelector(object);
    yield* validateSpec(object.spec ?? {});
    const { completionMode, completions } = object.spec ?? {};
    if (completionMode !== "Indexed" || !completions) return;
    const name = object.metadata?.name ?? "";
    const longest = `${name}-${completions - 1}`;
    if (dnsLabelProblems(longest).length === 0) return;
    yield fieldError.invalid("metadata.name", name, `will not able to create pod with invalid DNS label: ${longest}`);
  },
  validateUpdate: function* (object, live) {
    const { spec } = object;
    yield* generatedSelector(object);
    yield* validateSpec(spec ?? {});
    yield* completions(spec ?? {}, live.spec ?? {});
    yield* immutable("spec.selector", spec?.selector, live.spec?.selector);
    if (isWaiting(live)) yield* immutable("spec.template.spec", spec?.template?.spec, withFreeParts(live, spec)?.spec);
    else yield* immutable("spec.template", spec?.template, live.spec?.template);
    for (const name of ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"] as const) {
      yield* immutable(`spec.${name}`, spec?.[name], live.spec?.[name]);
    }
  },
  status: { validate: validateJobStatus },
  deletion: {
    propagation: "Orphan",
    warning:
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  },
  selectableFields: { "status.successful": ({ status }) => String(status?.succeeded ?? 0) },
  warnings: (object, live) =>
    same(object.spec?.template, live?.spec?.template) ? [] : templateWarnings("spec.template", object.spec?.template),
  table: jobTable,
});

function sameLabels(a: object | null | undefined, b: object | null | undefined): boolean {
  const text = (labels: object | null | undefined) => JSON.stringify(Object.entries(labels ?? {}).sort());
  return text(a) === text(b);
}

function* generatedSelector({ metadata, spec }: Loose<Job>): Problems {
  if (spec?.manualSelector || !spec?.selector) return;
  const found = spec.template?.metadata?.labels;
  for (const [label, field] of Object.entries(LABELS)) {
    const wanted = metadata?.[field as "uid" | "name"] ?? "";
    if (found?.[label] === wanted) continue;
    const at = `spec.template.metadata.labels[${label}]`;
    if (found?.[label] == null) yield fieldError.required(at, `must be '${wanted}'`);
    else yield fieldError.invalid(at, found, `must be '${wanted}'`);
  }
  const wrong = Object.entries(spec.selector.matchLabels ?? {}).some(([label, value]) => {
    const field = LABELS[label as keyof typeof LABELS];
    return field === undefined || metadata?.[field] !== value;
  });
  if (wrong) yield fieldError.invalid("spec.selector", shownSelector(spec.selector), "`selector` not auto-generated");
}

function* completions(spec: Loose<JobSpec>, was: Loose<JobSpec>): Problems {
  if (spec.completionMode !== "Indexed") yield* immutable("spec.completions", spec.completions, was.completions);
  else if (spec.completions != null && spec.completions !== was.completions && spec.completions !== spec.parallelism) {
    yield fieldError.invalid("spec.completions", spec.completions, "can only be modified in tandem with spec.parallelism");
  }
}

/** Suspended, with nothing running: what its pods are to be may still change in part. */
function isWaiting({ spec, status }: Loose<Job>): boolean {
  const told = status?.conditions?.some(({ type, status: is }) => type === "Suspended" && is === "True");
  return !!spec?.suspend && (!status?.startTime || !!told) && !status?.active;
}

/** The live template with those parts of the new one that may differ: where pods go, and what their containers get. */
function withFreeParts(live: Loose<Job>, spec: Loose<JobSpec> | null | undefined): Loose<JobSpec>["template"] {
  const was = live.spec?.template;
  const now = spec?.template?.spec;
  const { nodeSelector, tolerations, schedulingGates, affinity } = now ?? {};
  const nodes = { ...was?.spec?.affinity, nodeAffinity: affinity?.nodeAffinity };
  const resized = (list: "containers" | "initContainers") =>
    was?.spec?.[list]?.map((container, i) => ({ ...container, resources: now?.[list]?.[i]?.resources }));
  return {
    ...was,
    spec: {
      ...was?.spec,
      nodeSelector,
      tolerations,
      schedulingGates,
      affinity: affinity || was?.spec?.affinity ? nodes : undefined,
      containers: resized("containers"),
      initContainers: resized("initContainers"),
    },
  };
}

function* validateSpec(spec: Loose<JobSpec>): Problems {
  yield* jobSpec("spec", spec);
  if (!spec.selector) yield fieldError.required("spec.selector");
  else yield* labelSelector("spec.selector", spec.selector);
  yield* templateLabels("spec.template", spec.selector, spec.template);
}

/** Also what a cron job has a template of: without a selector. */
export function* jobSpec(field: string, spec: Loose<JobSpec>): Problems {
  for (const name of [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  ] as const) {
    yield* nonnegative(`${field}.${name}`, spec[name]);
  }
  if (spec.maxFailedIndexes != null && spec.backoffLimitPerIndex == null) {
    yield fieldError.required(`${field}.backoffLimitPerIndex`, "when maxFailedIndexes is specified");
  }
  yield* maybeOneOf(`${field}.completionMode`, spec.completionMode, ["NonIndexed", "Indexed"]);
  yield* indexed(field, spec);
  if (spec.successPolicy && spec.completionMode !== "Indexed") {
    yield fieldError.invalid(`${field}.successPolicy`, spec.successPolicy, "requires indexed completion mode");
  }
  yield* maybeOneOf(`${field}.podReplacementPolicy`, spec.podReplacementPolicy, ["Failed", "TerminatingOrFailed"]);
  yield* podTemplate(`${field}.template`, spec.template);
  yield* restartPolicy(`${field}.template.spec.restartPolicy`, spec);
}

function* indexed(field: string, spec: Loose<JobSpec>): Problems {
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

function* restartPolicy(field: string, spec: Loose<JobSpec>): Problems {
  const policy = spec.template?.spec?.restartPolicy;
  if (!policy || policy === "Always") yield fieldError.required(field, 'valid values: "OnFailure", "Never"');
  else if (policy !== "OnFailure" && policy !== "Never") yield fieldError.notSupported(field, policy, ["OnFailure", "Never"]);
  else if (spec.podFailurePolicy && policy !== "Never") {
    yield fieldError.invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified');
  }
}
