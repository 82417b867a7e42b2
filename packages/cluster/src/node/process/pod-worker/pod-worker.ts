import path from "node:path";
import { NotFound } from "pintle/client";
import { createAbortController } from "pintle/internal/clock";
import { ignoreError } from "pintle/internal/errors";
import type { WorkOutcome } from "pintle/internal/queue";
import { Pod } from "pintle/kinds/core/v1";
import { removeFolder } from "../host/remove-folder.ts";
import type { NodeContext } from "../node-context.ts";
import { computePodActions, type PodAction } from "../pod-sync/pod-actions.ts";
import { type PodState, recoverPodState } from "../pod-sync/pod-state.ts";
import { buildPodStatus } from "../pod-sync/pod-status.ts";
import { recordEvent } from "../record-event.ts";
import type { PodSandbox } from "../runtime/isolation-driver.ts";
import type { RunningContainer } from "../runtime/running-container.ts";
import { createContainerManager } from "./container-manager.ts";
import type { PodRecord } from "./pod-record.ts";
import { createSandboxManager } from "./sandbox-manager.ts";
import { createPodStatusManager } from "./status-manager.ts";
import { createTaskGroup } from "./task-group.ts";

/** Runs one pod on a node, from its binding to its deletion. */
export interface PodWorker {
  readonly pod: Pod;
  /** Sets the pod to the latest version of the API server. */
  update(pod: Pod): void;
  /** Compares desired and actual state once and starts the necessary actions. Returns when to sync again. */
  syncPod(): Promise<WorkOutcome | undefined>;
  readonly state: PodState;
  readonly running: ReadonlyMap<string, RunningContainer>;
  readonly folder: string;
  readonly sandbox: PodSandbox | undefined;
  /** Kills all containers without reporting it: the node shuts down. */
  close(): Promise<void>;
  /** Kills the processes and deletes the files of a pod that was deleted from the API server. Can be repeated if it fails. */
  remove(): Promise<void>;
}

/** The grace period of a pod that no longer exists, or whose node shuts down. Milliseconds. */
const SHUTDOWN_GRACE_PERIOD = 1_000;

/** Creates the worker of a pod. `enqueue` must lead to another call of `syncPod`. */
export function createPodWorker(context: NodeContext, initial: Pod, enqueue: () => void): PodWorker {
  const { clock, client, driver } = context;
  const { uid, name, namespace } = initial.metadata;
  const closing = createAbortController();
  const record: PodRecord = {
    context,
    folder: path.join(context.root, "pods", uid),
    pod: initial,
    state: recoverPodState(initial, clock.now()),
    closed: closing.signal,
    tasks: createTaskGroup(),
    enqueue,
  };
  const statusManager = createPodStatusManager(context);
  const sandboxes = createSandboxManager(record);
  const containers = createContainerManager(record, sandboxes);
  const { running } = containers;
  let isDeleted = false;

  const sync = async (): Promise<WorkOutcome | undefined> => {
    if (closing.signal.aborted || context.faults.isDisconnected) return undefined;
    const now = clock.now();
    containers.restartChanged();
    const { actions, inBackOff, requeueAt } = computePodActions(statusManager.withLastStatus(record.pod), record.state, now);
    for (const action of actions) execute(action, now);
    if (record.pod.metadata.deletionTimestamp !== undefined) containers.shortenGracePeriods();
    for (const container of inBackOff) containers.recordBackOff(container);
    await sandboxes.refreshVolumes(now);
    await reportStatus(now);
    if (record.pod.metadata.deletionTimestamp !== undefined && record.state.sandbox === "closed" && running.size === 0) await deletePod();
    const times = [requeueAt, sandboxes.getNextSyncTime()].filter((time) => time !== undefined);
    return times.length === 0 ? undefined : { type: "requeue", after: Math.max(0, Math.min(...times) - now) };
  };
  const execute = (action: PodAction, now: number): void => {
    if (action.type === "createSandbox") sandboxes.create(now);
    else if (action.type === "start") containers.start(action.container);
    else if (action.type === "stop") containers.stop(action.container);
    else if (action.type === "closeSandbox") sandboxes.close();
    else {
      const { reason, message } = action;
      record.state = { ...record.state, failure: { reason, message } };
      recordEvent(context, record.pod, undefined, { type: "Normal", reason, message });
      enqueue();
    }
  };
  const reportStatus = async (now: number) => {
    const { pod, state } = record;
    const ips = { podIP: sandboxes.sandbox?.address ?? pod.status.podIP, hostIP: driver.hostAddress };
    await statusManager.setPodStatus(pod, buildPodStatus(statusManager.withLastStatus(pod), state, ips, now));
  };
  /** Deletes the pod from the API server after its containers have ended. */
  const deletePod = async () => {
    if (isDeleted) return;
    try {
      await client.delete(Pod, { name, namespace }, { gracePeriodSeconds: 0, uid });
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
    isDeleted = true;
  };

  /** Ends everything that runs for the pod. In real time: a cluster that stops does not advance its clock. */
  const endProcesses = async () => {
    const timer = setTimeout(() => {
      for (const { process } of running.values()) process.signalAll("SIGKILL");
    }, SHUTDOWN_GRACE_PERIOD);
    await record.tasks.settled();
    clearTimeout(timer);
    await sandboxes.destroy();
  };

  return {
    get pod() {
      return record.pod;
    },
    get state() {
      return record.state;
    },
    get sandbox() {
      return sandboxes.sandbox;
    },
    running,
    folder: record.folder,
    syncPod() {
      const synced = sync();
      record.tasks.add(synced, ignoreError);
      return synced;
    },
    update(pod) {
      record.pod = pod;
    },
    async close() {
      closing.abort();
      for (const { process } of running.values()) process.signal("SIGTERM");
      await endProcesses();
    },
    async remove() {
      closing.abort();
      containers.stopAll(SHUTDOWN_GRACE_PERIOD);
      await endProcesses();
      context.addresses.release(uid);
      context.tokens.deletePod(uid);
      for (const key of context.pullBackOffs.keys()) if (key.startsWith(`${uid} `)) context.pullBackOffs.delete(key);
      await removeFolder(record.folder);
    },
  };
}
