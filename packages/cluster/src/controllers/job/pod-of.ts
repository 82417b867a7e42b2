import type { Job } from "pintle/kinds/batch/v1";
import type { Container, PodSpec } from "pintle/kinds/core/v1";
import type { PodFeatures } from "../pod-control.ts";
import type { Wanted } from "./manage.ts";
import { FAILURES, INDEX, TRACKING } from "./pod-facts.ts";

const ENV = "JOB_COMPLETION_INDEX";

/** What a job's pod has besides its template. Pure. */
export function podFeatures({ metadata, spec }: Job, { index, failures }: Wanted): PodFeatures {
  if (index === undefined) return { finalizers: [TRACKING] };
  const text = String(index);
  const prefix = `${metadata.name}-${text}-`;
  return {
    finalizers: [TRACKING],
    prefix,
    labels: { [INDEX]: text },
    annotations: { [INDEX]: text, ...(failures === undefined ? {} : { [FAILURES]: String(failures) }) },
    spec: withIndex(spec.template.spec ?? { containers: [] }, `${metadata.name}-${text}`),
  };
}

function withIndex(spec: PodSpec, hostname: string): PodSpec {
  const told = (container: Container): Container =>
    container.env?.some(({ name }) => name === ENV)
      ? container
      : {
          ...container,
          env: [...(container.env ?? []), { name: ENV, valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } } }],
        };
  return {
    ...spec,
    hostname,
    containers: spec.containers.map(told),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(told) }),
  };
}
