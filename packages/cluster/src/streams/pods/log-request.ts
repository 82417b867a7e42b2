import type { ContainerStatus, Pod } from "pintle/kinds/core/v1";
import { getQueryParameter, type QueryParameters } from "../../api/index.ts";
import type { ContainerLogOptions } from "../../node/index.ts";
import { badRequest, type FieldError, fieldError, invalid } from "../../status/index.ts";
import { parseQueryFlag } from "../query-flag.ts";

const MIN_VALUES = { tailLines: 0, limitBytes: 1, sinceSeconds: 1 } as const;

/** Parses the log options of a request. `now` is in milliseconds. Throws 422 for invalid values. */
export function parseLogOptions(pod: string, query: QueryParameters, now: number): ContainerLogOptions {
  const problems: FieldError[] = [];
  const parseNumber = (field: keyof typeof MIN_VALUES): number | undefined => {
    if (!query.has(field)) return undefined;
    const value = Number(getQueryParameter(query, field));
    const min = MIN_VALUES[field];
    if (value < min) {
      problems.push(fieldError.invalid(field, value, min === 0 ? "must be greater than or equal to 0" : "must be greater than 0"));
    }
    return value;
  };
  const tailLines = parseNumber("tailLines");
  const limitBytes = parseNumber("limitBytes");
  const sinceSeconds = parseNumber("sinceSeconds");
  const sinceTime = query.has("sinceTime") ? Date.parse(getQueryParameter(query, "sinceTime")) : undefined;
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    problems.push(fieldError.forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  }
  if (problems.length > 0) throw invalid({ group: "", resource: "PodLogOptions" }, pod, problems);
  const stream = getQueryParameter(query, "stream");
  return {
    follow: parseQueryFlag(query, "follow"),
    previous: parseQueryFlag(query, "previous"),
    timestamps: parseQueryFlag(query, "timestamps"),
    tailLines,
    limitBytes,
    since: sinceSeconds === undefined ? sinceTime : now - sinceSeconds * 1000,
    stream: stream === "Stdout" || stream === "Stderr" ? stream : undefined,
  };
}

/** Throws, with the message of a kubelet, if the container has no log yet, or no previous one. */
export function requireLogAvailable(pod: Pod, container: string, previous: boolean): void {
  const named = `container "${container}" in pod "${pod.metadata.name}"`;
  const status = getContainerStatus(pod, container);
  if (status === undefined) throw badRequest(`${named} ${describeMissingStatus(pod, container)}`);
  const { state, lastState } = status;
  const previousTermination = lastState?.terminated;
  if (previous) {
    if (previousTermination?.containerID) return;
    throw badRequest(`previous terminated container "${container}" in pod "${pod.metadata.name}" not found`);
  }
  if (state?.running !== undefined || state?.terminated?.containerID || previousTermination?.containerID) return;
  if (state?.terminated !== undefined || previousTermination !== undefined) throw badRequest(`${named} is terminated`);
  throw badRequest(
    `${named} is waiting to start${state?.waiting === undefined ? " - no logs yet" : `: ${describeWaitingReason(state.waiting.reason)}`}`,
  );
}

function getContainerStatus({ status }: Pod, container: string): ContainerStatus | undefined {
  const all = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? []), ...(status.ephemeralContainerStatuses ?? [])];
  return all.find(({ name }) => name === container);
}

/** Without a status from its node, a pod counts as just created. */
function describeMissingStatus({ spec, status }: Pod, container: string): string {
  if ((status.phase ?? "Pending") !== "Pending") return "is not available";
  const initializing = (spec.initContainers?.length ?? 0) > 0 && spec.containers.some(({ name }) => name === container);
  return `is waiting to start: ${initializing ? "PodInitializing" : "ContainerCreating"}`;
}

function describeWaitingReason(reason: string | undefined): string {
  if (reason === "ErrImagePull") return "image can't be pulled";
  if (reason === "ImagePullBackOff") return "trying and failing to pull image";
  return reason ?? "";
}
