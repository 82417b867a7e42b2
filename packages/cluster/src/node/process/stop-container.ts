import type { LifecycleHandler, Pod } from "pintle/kinds/core/v1";
import type { Ground } from "./ground.ts";
import { httpCheck, tcpCheck } from "./probe/network-checks.ts";
import { runCommand } from "./run-command.ts";
import type { RunningContainer } from "./runtime/container.ts";
import { say } from "./say.ts";

/** A container is asked to end, and made to when its time is over. */
export interface Stopping {
  /** It has less time than it was told: a second deletion wants it gone sooner. */
  hurry(grace: number): void;
}

/** However long a hook took, the process gets this much. */
const LEAST = 2_000;

export function stopContainer(ground: Ground, pod: Pod, container: RunningContainer, grace: number): Stopping {
  const { clock } = ground;
  const { lifecycle = {} } = container.spec;
  const end = () => container.process.signalAll("SIGKILL");
  let timer = clock.setTimeout(end, grace);
  let endAt = clock.now() + grace;
  const move = (at: number) => {
    clock.clearTimeout(timer);
    endAt = at;
    timer = clock.setTimeout(end, Math.max(0, at - clock.now()));
  };
  const ask = async () => {
    if (lifecycle.preStop !== undefined && grace > 0) {
      const why = await runHook(ground, lifecycle.preStop, container, grace);
      if (why !== undefined)
        say(ground, pod, container.spec, { type: "Warning", reason: "FailedPreStopHook", message: `PreStopHook failed: ${why}` });
      if (grace >= LEAST && endAt - clock.now() < LEAST) move(clock.now() + LEAST);
    }
    container.process.signal((lifecycle.stopSignal ?? "SIGTERM") as NodeJS.Signals);
  };
  if (grace <= 0) end();
  else void ask().catch(end);
  void container.exit.then(() => clock.clearTimeout(timer));
  return {
    hurry(wanted) {
      if (clock.now() + wanted < endAt) move(clock.now() + wanted);
    },
  };
}

/** What a pod wants done after the start or before the end; a text says why it failed. */
export async function runHook(
  { clock, guard }: Ground,
  { exec, httpGet, tcpSocket, sleep }: LifecycleHandler,
  container: RunningContainer,
  timeout: number,
): Promise<string | undefined> {
  const { address } = container.sandbox;
  if (sleep !== undefined) {
    await Promise.race([clock.sleep(Math.min(sleep.seconds * 1000, timeout)), container.exit]);
    return undefined;
  }
  if (httpGet !== undefined) return httpCheck(httpGet, container.spec, address, timeout);
  if (tcpSocket !== undefined) return tcpCheck(tcpSocket, container.spec, address, timeout);
  if (exec?.command === undefined) return undefined;
  try {
    const { code, output } = await runCommand(container, exec.command, guard, timeout);
    return code === 0 ? undefined : `command '${exec.command.join(" ")}' exited with ${code ?? "a timeout"}: ${output}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
