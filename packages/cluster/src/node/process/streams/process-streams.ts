import { existsSync } from "node:fs";
import { ApiError, badRequest, internalError } from "../../../status/index.ts";
import type { ContainerRef, NodeStreams } from "../../node-streams.ts";
import { buildExecSpawn } from "../container/run-command.ts";
import { getLogPath } from "../container/start-container.ts";
import type { NodeContext } from "../node-context.ts";
import { getContainerState } from "../pod-sync/pod-state.ts";
import type { PodWorker } from "../pod-worker/pod-worker.ts";
import { startProcess } from "../runtime/process.ts";
import type { RunningContainer } from "../runtime/running-container.ts";
import { connectToPodPort } from "./pod-port.ts";
import { readLog } from "./read-log.ts";
import { createAttachSession, createCommandSession } from "./session.ts";
import { canOpenTerminal, NO_TERMINAL_MESSAGE, wrapInTerminal } from "./terminal.ts";
import { createUsageMeter } from "./usage-meter.ts";

/** Creates the streams of a process node. */
export function createProcessStreams(context: NodeContext, workers: ReadonlyMap<string, PodWorker>): NodeStreams {
  const { guard } = context;
  const findWorker = ({ uid, namespace, pod }: Omit<ContainerRef, "container">): PodWorker => {
    const match = workers.get(uid) ?? [...workers.values()].find((each) => isPodNamed(each, namespace, pod));
    if (match === undefined) throw new ApiError(404, "NotFound", `pod "${pod}" does not exist`);
    return match;
  };
  const findContainer = (target: ContainerRef): RunningContainer => {
    const match = findWorker(target).running.get(target.container);
    if (match === undefined) throw internalError(`container not found ("${target.container}")`);
    return match;
  };
  return {
    async *logs(target, options, signal) {
      const worker = findWorker(target);
      const { runState, restarts, lastTermination } = getContainerState(worker.state, { name: target.container });
      const missing = `previous terminated container "${target.container}" in pod "${target.pod}" not found`;
      if (options.previous && lastTermination === undefined) throw badRequest(missing);
      // While the container waits for a restart, the latest log is that of the previous run.
      const current = runState.phase === "creating" || runState.phase === "blocked" || runState.phase === "none" ? restarts - 1 : restarts;
      const file = getLogPath(worker.folder, target.container, options.previous ? Math.max(0, current - 1) : Math.max(0, current));
      if (!existsSync(file)) {
        if (options.previous) throw badRequest(missing);
        const reason = runState.phase === "blocked" ? runState.reason : "ContainerCreating";
        throw badRequest(`container "${target.container}" in pod "${target.pod}" is waiting to start: ${reason}`);
      }
      const live = worker.running.get(target.container)?.log;
      yield* readLog(file, live?.path === file ? live : undefined, options, signal);
    },
    async exec(target, command, options) {
      const container = findContainer(target);
      if (options.tty && !canOpenTerminal()) throw internalError(NO_TERMINAL_MESSAGE);
      const spawn = await buildExecSpawn(container, command);
      try {
        const started = await startProcess(options.tty ? wrapInTerminal(spawn) : spawn, guard, { container: container.process });
        return createCommandSession(started, options);
      } catch (error) {
        const reason = (error as NodeJS.ErrnoException).code === "ENOENT" ? "executable file not found in $PATH" : String(error);
        throw internalError(
          `error executing command in container: failed to exec in container: failed to start exec: OCI runtime exec failed: exec failed: unable to start container process: exec: "${command[0]}": ${reason}`,
        );
      }
    },
    async attach(target, options) {
      return createAttachSession(findContainer(target), options);
    },
    connect(target, port) {
      const { sandbox } = findWorker(target);
      if (sandbox === undefined) return Promise.reject(internalError(`pod "${target.pod}" is not running`));
      return connectToPodPort(sandbox, port, guard).catch((error: Error) => {
        throw internalError(`failed to connect to port ${port} of the pod: ${error.message}`);
      });
    },
    usage: createUsageMeter(workers),
  };
}

const isPodNamed = ({ pod }: PodWorker, namespace: string, name: string) =>
  pod.metadata.namespace === namespace && pod.metadata.name === name;
