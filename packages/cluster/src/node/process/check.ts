import type { Probe } from "pintle/kinds/core/v1";
import type { Answer } from "./probe/answer.ts";
import { grpcCheck, httpCheck, tcpCheck } from "./probe/network-checks.ts";
import { runCommand } from "./run-command.ts";
import type { RunningContainer } from "./runtime/container.ts";
import type { Guard } from "./runtime/guard.ts";

/** Asks a container how it is, once, the way its probe says. */
export async function check(probe: Probe, container: RunningContainer, guard: Guard): Promise<Answer> {
  const timeout = (probe.timeoutSeconds ?? 1) * 1000;
  const { address } = container.sandbox;
  if (probe.httpGet !== undefined) return httpCheck(probe.httpGet, container.spec, address, timeout);
  if (probe.tcpSocket !== undefined) return tcpCheck(probe.tcpSocket, container.spec, address, timeout);
  if (probe.grpc !== undefined) return grpcCheck(probe.grpc, address, timeout);
  const command = probe.exec?.command ?? [];
  if (command.length === 0) return undefined;
  try {
    const { code, output } = await runCommand(container, command, guard, timeout);
    if (code === undefined) return `command timed out: "${command.join(" ")}" timed out after ${timeout / 1000}s`;
    return code === 0 ? undefined : output;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
