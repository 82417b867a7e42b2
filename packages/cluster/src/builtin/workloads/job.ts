import type { CronJob, Job } from "pintle/kinds/batch/v1";
import { rules } from "../rules.ts";
import { cronJobTable, jobTable } from "../table/workloads.ts";

const NAME_LABELS = ["job-name", "batch.kubernetes.io/job-name"];
const UID_LABEL = "batch.kubernetes.io/controller-uid";
const UID_LABELS = ["controller-uid", UID_LABEL];

export const job = rules<Job>({
  prepareCreate({ metadata, spec }) {
    if (!spec || !metadata || spec.manualSelector) return;
    spec.template ??= {};
    spec.template.metadata ??= {};
    const name = Object.fromEntries(NAME_LABELS.map((label) => [label, metadata.name]));
    const uid = Object.fromEntries(UID_LABELS.map((label) => [label, metadata.uid]));
    spec.template.metadata.labels = { ...name, ...uid, ...spec.template.metadata.labels };
    spec.selector ??= {};
    spec.selector.matchLabels = { [UID_LABEL]: metadata.uid, ...spec.selector.matchLabels };
    // Without labels of its own, a job has those of its pods.
    if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...spec.template.metadata.labels };
  },
  deletion: { propagation: "Orphan" },
  selectableFields: { "status.successful": ({ status }) => String(status?.succeeded ?? 0) },
  table: jobTable,
});

export const cronJob = rules<CronJob>({ table: cronJobTable });
