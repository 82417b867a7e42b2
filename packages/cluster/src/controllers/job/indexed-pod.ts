import type { Job } from "pintle/kinds/batch/v1";
import type { Container, PodSpec } from "pintle/kinds/core/v1";
import type { PodOverrides } from "../workload/pod-control.ts";
import { FAILURE_COUNT_ANNOTATION, INDEX_ANNOTATION, TRACKING_FINALIZER } from "./job-pods.ts";
import type { PodRequest } from "./pod-plan.ts";

const INDEX_ENV = "JOB_COMPLETION_INDEX";

/** Builds what a Job's pod has in addition to its template. Pure. */
export function buildPodOverrides({ metadata, spec }: Job, { index, indexFailures }: PodRequest): PodOverrides {
  if (index === undefined) return { finalizers: [TRACKING_FINALIZER] };
  const text = String(index);
  return {
    finalizers: [TRACKING_FINALIZER],
    generateName: `${metadata.name}-${text}-`,
    labels: { [INDEX_ANNOTATION]: text },
    annotations: {
      [INDEX_ANNOTATION]: text,
      ...(indexFailures === undefined ? {} : { [FAILURE_COUNT_ANNOTATION]: String(indexFailures) }),
    },
    spec: addCompletionIndex(spec.template.spec ?? { containers: [] }, `${metadata.name}-${text}`),
  };
}

function addCompletionIndex(spec: PodSpec, hostname: string): PodSpec {
  const addIndexVariable = (container: Container): Container =>
    container.env?.some(({ name }) => name === INDEX_ENV)
      ? container
      : {
          ...container,
          env: [
            ...(container.env ?? []),
            { name: INDEX_ENV, valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX_ANNOTATION}']` } } },
          ],
        };
  return {
    ...spec,
    hostname,
    containers: spec.containers.map(addIndexVariable),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(addIndexVariable) }),
  };
}
