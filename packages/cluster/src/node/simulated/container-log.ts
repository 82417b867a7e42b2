import type { ContainerStatus, Pod } from "pintle/kinds/core/v1";
import type { ContainerLogOptions } from "../node-streams.ts";
import { LOGS_ANNOTATION } from "./behaviour.ts";

/** Renders the log of a simulated container, which writes all lines at its start. */
export function renderContainerLog(pod: Pod, container: string, options: ContainerLogOptions): Uint8Array {
  const started = getStartTime(getContainerStatus(pod, container), options.previous);
  if (started === undefined || options.stream === "Stderr") return new Uint8Array();
  if (options.since !== undefined && Date.parse(started) < options.since) return new Uint8Array();
  const prefix = options.timestamps ? `${started.replace("Z", ".000000000Z")} ` : "";
  const written = getLogLines(pod, container);
  const lines = options.tailLines === undefined ? written : written.slice(Math.max(0, written.length - options.tailLines));
  const bytes = Buffer.from(lines.map((line) => `${prefix}${line}\n`).join(""));
  return bytes.subarray(0, options.limitBytes);
}

export function isContainerRunning(pod: Pod, container: string): boolean {
  return getContainerStatus(pod, container)?.state?.running !== undefined;
}

function getLogLines({ metadata, spec }: Pod, container: string): readonly string[] {
  const annotated = metadata.annotations?.[LOGS_ANNOTATION];
  if (annotated !== undefined) return annotated === "" ? [] : annotated.replace(/\n$/, "").split("\n");
  const { image = "" } = [...(spec.initContainers ?? []), ...spec.containers].find(({ name }) => name === container) ?? {};
  return [`container ${container} of pod ${metadata.namespace}/${metadata.name} runs ${image}, simulated`];
}

function getContainerStatus({ status }: Pod, container: string): ContainerStatus | undefined {
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].find(({ name }) => name === container);
}

function getStartTime(status: ContainerStatus | undefined, previous: boolean): string | undefined {
  const before = status?.lastState?.terminated?.startedAt;
  if (previous) return before ?? undefined;
  return status?.state?.running?.startedAt ?? status?.state?.terminated?.startedAt ?? before ?? undefined;
}
