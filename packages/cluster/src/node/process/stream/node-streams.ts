import { existsSync } from "node:fs";
import { ApiError, badRequest, internalError } from "../../../status/index.ts";
import type { ContainerRef, NodeStreams } from "../../streams.ts";
import type { Ground } from "../ground.ts";
import { logPathOf } from "../make-container.ts";
import type { PodWorker } from "../pod-worker.ts";
import { joinSpawn } from "../run-command.ts";
import type { RunningContainer } from "../runtime/container.ts";
import { startProcess } from "../runtime/process.ts";
import { stateOf } from "../sync/state.ts";
import { connectTo } from "./pod-port.ts";
import { readLog } from "./read-log.ts";
import { attachedSession, commandSession } from "./session.ts";
import { hasTerminals, inTerminal, NO_TERMINALS } from "./terminal.ts";
import { usageMeter } from "./usage.ts";

/** What a node does with its containers for somebody at the end of a wire. */
export function nodeStreams(ground: Ground, workers: ReadonlyMap<string, PodWorker>): NodeStreams {
  const { guard } = ground;
  const workerOf = ({ uid, namespace, pod }: Omit<ContainerRef, "container">): PodWorker => {
    const found = workers.get(uid) ?? [...workers.values()].find((each) => isNamed(each, namespace, pod));
    if (found === undefined) throw new ApiError(404, "NotFound", `pod "${pod}" does not exist`);
    return found;
  };
  const runningOf = (target: ContainerRef): RunningContainer => {
    const found = workerOf(target).running.get(target.container);
    if (found === undefined) throw internalError(`container not found ("${target.container}")`);
    return found;
  };
  return {
    async *logs(target, options, signal) {
      const worker = workerOf(target);
      const { standing, restarts, last } = stateOf(worker.state, { name: target.container });
      const missing = `previous terminated container "${target.container}" in pod "${target.pod}" not found`;
      if (options.previous && last === undefined) throw badRequest(missing);
      // While it waits to be started again, what is there is the run before.
      const current = standing.at === "creating" || standing.at === "blocked" || standing.at === "none" ? restarts - 1 : restarts;
      const file = logPathOf(worker.folder, target.container, options.previous ? Math.max(0, current - 1) : Math.max(0, current));
      if (!existsSync(file)) {
        if (options.previous) throw badRequest(missing);
        const why = standing.at === "blocked" ? standing.reason : "ContainerCreating";
        throw badRequest(`container "${target.container}" in pod "${target.pod}" is waiting to start: ${why}`);
      }
      const live = worker.running.get(target.container)?.log;
      yield* readLog(file, live?.path === file ? live : undefined, options, signal);
    },
    async exec(target, command, options) {
      const container = runningOf(target);
      if (options.tty && !hasTerminals()) throw internalError(NO_TERMINALS);
      const spawn = await joinSpawn(container, command);
      try {
        return commandSession(await startProcess(options.tty ? inTerminal(spawn) : spawn, guard), options);
      } catch (error) {
        const why = (error as NodeJS.ErrnoException).code === "ENOENT" ? "executable file not found in $PATH" : String(error);
        throw internalError(
          `error executing command in container: failed to exec in container: failed to start exec: OCI runtime exec failed: exec failed: unable to start container process: exec: "${command[0]}": ${why}`,
        );
      }
    },
    async attach(target, options) {
      return attachedSession(runningOf(target), options);
    },
    connect(target, port) {
      const { sandbox } = workerOf(target);
      if (sandbox === undefined) return Promise.reject(internalError(`pod "${target.pod}" is not running`));
      return connectTo(sandbox, port, guard).catch((error: Error) => {
        throw internalError(`failed to connect to port ${port} of the pod: ${error.message}`);
      });
    },
    usage: usageMeter(workers),
  };
}

const isNamed = ({ pod }: PodWorker, namespace: string, name: string) => pod.metadata.namespace === namespace && pod.metadata.name === name;
