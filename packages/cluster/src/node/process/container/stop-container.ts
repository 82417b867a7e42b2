import { ignoreError, runInBackground } from "pintle/internal/errors";
import type { LifecycleHandler, Pod } from "pintle/kinds/core/v1";
import type { NodeContext } from "../node-context.ts";
import { probeHttp, probeTcp } from "../probe/probes.ts";
import { recordEvent } from "../record-event.ts";
import type { RunningContainer } from "../runtime/running-container.ts";
import { runCommand } from "./run-command.ts";

/** A container that is being stopped: killed when the grace period is over. */
export interface ContainerTermination {
  /** Shortens the grace period, if a second deletion requests a shorter one. */
  shortenGracePeriod(grace: number): void;
}

/** The minimal grace period after a preStop hook. Milliseconds. */
const MIN_GRACE_PERIOD = 2_000;

export function stopContainer(context: NodeContext, pod: Pod, container: RunningContainer, grace: number): ContainerTermination {
  const { clock } = context;
  const { lifecycle = {} } = container.spec;
  const kill = () => container.process.signalAll("SIGKILL");
  let timer = clock.setTimeout(kill, grace);
  let killAt = clock.now() + grace;
  const setDeadline = (at: number) => {
    clock.clearTimeout(timer);
    killAt = at;
    timer = clock.setTimeout(kill, Math.max(0, at - clock.now()));
  };
  const terminate = async () => {
    if (lifecycle.preStop !== undefined && grace > 0) {
      const failure = await runLifecycleHook(context, lifecycle.preStop, container, grace);
      if (failure !== undefined)
        recordEvent(context, pod, container.spec, {
          type: "Warning",
          reason: "FailedPreStopHook",
          message: `PreStopHook failed: ${failure}`,
        });
      if (grace >= MIN_GRACE_PERIOD && killAt - clock.now() < MIN_GRACE_PERIOD) setDeadline(clock.now() + MIN_GRACE_PERIOD);
    }
    container.process.signal((lifecycle.stopSignal ?? "SIGTERM") as NodeJS.Signals);
  };
  if (grace <= 0) kill();
  else runInBackground(terminate(), kill);
  runInBackground(
    container.exit.then(() => clock.clearTimeout(timer)),
    ignoreError,
  );
  return {
    shortenGracePeriod(gracePeriod) {
      if (clock.now() + gracePeriod < killAt) setDeadline(clock.now() + gracePeriod);
    },
  };
}

/** Runs a lifecycle hook. Returns the failure message, if any. */
export async function runLifecycleHook(
  { clock, guard }: NodeContext,
  { exec, httpGet, tcpSocket, sleep }: LifecycleHandler,
  container: RunningContainer,
  timeout: number,
): Promise<string | undefined> {
  const { address } = container.sandbox;
  if (sleep !== undefined) {
    await Promise.race([clock.sleep(Math.min(sleep.seconds * 1000, timeout)), container.exit]);
    return undefined;
  }
  if (httpGet !== undefined) return probeHttp(httpGet, container.spec, address, timeout);
  if (tcpSocket !== undefined) return probeTcp(tcpSocket, container.spec, address, timeout);
  if (exec?.command === undefined) return undefined;
  try {
    const { code, output } = await runCommand(container, exec.command, guard, timeout);
    return code === 0 ? undefined : `command '${exec.command.join(" ")}' exited with ${code ?? "a timeout"}: ${output}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
