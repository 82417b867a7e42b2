import type { ContainerStatus, Pod } from "pintle/kinds/core/v1";
import { LOGS } from "../behaviour.ts";
import type { LogOptions } from "../streams.ts";

/** What a simulated container has written: all of it the moment it started. */
export function logOf(pod: Pod, container: string, options: LogOptions): Uint8Array {
  const started = startOf(statusOf(pod, container), options.previous);
  if (started === undefined || options.stream === "Stderr") return new Uint8Array();
  if (options.since !== undefined && Date.parse(started) < options.since) return new Uint8Array();
  const prefix = options.timestamps ? `${started.replace("Z", ".000000000Z")} ` : "";
  const written = linesOf(pod, container);
  const shown = options.tailLines === undefined ? written : written.slice(Math.max(0, written.length - options.tailLines));
  const bytes = Buffer.from(shown.map((line) => `${prefix}${line}\n`).join(""));
  return bytes.subarray(0, options.limitBytes);
}

export function isRunning(pod: Pod, container: string): boolean {
  return statusOf(pod, container)?.state?.running !== undefined;
}

function linesOf({ metadata, spec }: Pod, container: string): readonly string[] {
  const given = metadata.annotations?.[LOGS];
  if (given !== undefined) return given === "" ? [] : given.replace(/\n$/, "").split("\n");
  const { image = "" } = [...(spec.initContainers ?? []), ...spec.containers].find(({ name }) => name === container) ?? {};
  return [`container ${container} of pod ${metadata.namespace}/${metadata.name} runs ${image}, simulated`];
}

function statusOf({ status }: Pod, container: string): ContainerStatus | undefined {
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].find(({ name }) => name === container);
}

function startOf(status: ContainerStatus | undefined, previous: boolean): string | undefined {
  const before = status?.lastState?.terminated?.startedAt;
  if (previous) return before ?? undefined;
  return status?.state?.running?.startedAt ?? status?.state?.terminated?.startedAt ?? before ?? undefined;
}
