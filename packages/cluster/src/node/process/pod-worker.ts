import { rm } from "node:fs/promises";
import path from "node:path";
import { NotFound } from "pintle/client";
import { type Container, Pod } from "pintle/kinds/core/v1";
import type { Outcome } from "pintle/queue";
import { containerRun } from "./container-run.ts";
import type { Ground } from "./ground.ts";
import type { RunningContainer } from "./runtime/container.ts";
import type { Sandbox } from "./runtime/driver.ts";
import { say } from "./say.ts";
import { statusReport } from "./status-report.ts";
import { type Stopping, stopContainer } from "./stop-container.ts";
import { longer } from "./sync/back-off.ts";
import { plan } from "./sync/plan.ts";
import { type ContainerState, type PodState, recovered, stateOf, withContainer } from "./sync/state.ts";
import { statusOf } from "./sync/status.ts";
import { etcFiles } from "./volume/etc-files.ts";
import { type Mount, MountProblem, prepareVolumes } from "./volume/volumes.ts";
import { volumeFacts } from "./volume-facts.ts";

/** One pod on a node, from bound to gone. */
export interface PodWorker {
  readonly pod: Pod;
  /** As the API server has it now. */
  update(pod: Pod): void;
  /** One look at what is and what should be; gives when to look again. */
  step(): Promise<Outcome | undefined>;
  readonly state: PodState;
  readonly running: ReadonlyMap<string, RunningContainer>;
  readonly folder: string;
  readonly sandbox: Sandbox | undefined;
  /** The node goes: everything ends, nothing is said. */
  close(): Promise<void>;
  /** The pod has gone from the API server: its processes and files follow. */
  remove(): Promise<void>;
}

const REFRESH = 60_000;
const MOUNT_RETRY = 500;
const LONGEST_MOUNT_RETRY = 122_000;
/** What a pod gets that nobody knows any more, or whose node goes. */
const LAST_GRACE = 1_000;

export function podWorker(ground: Ground, first: Pod, wake: () => void): PodWorker {
  const { clock, client, driver, addresses } = ground;
  const { uid, name, namespace } = first.metadata;
  const folder = path.join(ground.root, "pods", uid);
  const report = statusReport(ground);
  const running = new Map<string, RunningContainer>();
  const stopping = new Map<string, Stopping>();
  const announced = new Set<string>();
  /** The images that containers were last started with. */
  const tried = new Map<string, string | undefined>();
  let pod = first;
  let state: PodState = recovered(first, clock.now());
  let sandbox: Sandbox | undefined;
  let etc: readonly Mount[] = [];
  let isClosed = false;
  let deleted = false;
  let mountRetry = MOUNT_RETRY;
  let retryAt = 0;
  let refreshAt = 0;

  const set = (container: string, change: (own: ContainerState) => ContainerState) => {
    state = withContainer(state, container, change);
    if (!isClosed) wake();
  };

  const makeSandbox = async () => {
    try {
      const { hostname, subdomain, hostNetwork } = pod.spec;
      const known = subdomain === undefined ? undefined : `${namespace}/${subdomain}/${hostname ?? name}`;
      const address = hostNetwork === true ? driver.hostAddress : addresses.of(uid, { current: pod.status.podIP, name: known });
      await prepareVolumes(pod, volumeFacts(ground, pod, address, folder));
      sandbox ??= await driver.sandbox(pod, address);
      etc = await etcFiles(pod, address, folder, driver);
      refreshAt = clock.now() + REFRESH;
      state = { ...state, sandbox: "ready" };
      wake();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const reason = error instanceof MountProblem ? "FailedMount" : "FailedCreatePodSandBox";
      say(ground, pod, undefined, { type: "Warning", reason, message });
      state = { ...state, sandbox: "none" };
      retryAt = clock.now() + mountRetry;
      wake();
      mountRetry = Math.min(mountRetry * 2, LONGEST_MOUNT_RETRY);
    }
  };

  const start = (container: Container) => {
    const now = clock.now();
    tried.set(container.name, container.image);
    set(container.name, (own) => {
      if (own.standing.at !== "ended") return { ...own, standing: { at: "creating" } };
      return {
        ...own,
        standing: { at: "creating" },
        restarts: own.restarts + 1,
        last: own.standing.ended,
        backOff: longer(own.backOff, now),
      };
    });
    const run = stateOf(state, container).restarts;
    void containerRun(ground, pod, container, { folder, sandbox: sandbox!, etc }, run, {
      change: (change) => set(container.name, change),
      isStopping: () => stopping.has(container.name),
      started: (made) => running.set(container.name, made),
      ended: () => {
        running.delete(container.name);
        stopping.delete(container.name);
      },
      kill: (grace) => stop(container, grace),
    });
  };

  const stop = (container: Container, grace: number) => {
    const made = running.get(container.name);
    if (made === undefined || stopping.has(container.name)) return;
    set(container.name, (own) =>
      own.standing.at === "running" ? { ...own, standing: { ...own.standing, stopping: true, ready: false } } : own,
    );
    stopping.set(container.name, stopContainer(ground, pod, made, grace));
  };
  const graceOf = () => {
    const { deletionGracePeriodSeconds } = pod.metadata;
    return (deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30) * 1000;
  };

  /** An image is all that can be changed in a container: the old one ends, and nothing that went wrong with it counts any more. */
  const renew = (container: Container) => {
    const { at } = stateOf(state, container).standing;
    // It is looked at again when it runs.
    if (at === "creating") return;
    tried.set(container.name, container.image);
    ground.pulls.delete(`${uid} ${container.name}`);
    if (at === "running") {
      const message = `Container ${container.name} definition changed, will be restarted`;
      say(ground, pod, container, { type: "Normal", reason: "Killing", message });
      stop(container, graceOf());
    }
    set(container.name, (own) => ({ ...own, backOff: undefined, ...(at === "blocked" ? { standing: { at: "none" } } : {}) }));
  };

  const finish = async () => {
    state = { ...state, sandbox: "making" };
    const before = sandbox;
    sandbox = undefined;
    await before?.close().catch(() => {});
    state = { ...state, sandbox: "gone" };
    wake();
  };

  const step = async (): Promise<Outcome | undefined> => {
    if (isClosed || ground.faults.isLost) return undefined;
    const now = clock.now();
    for (const container of pod.spec.containers)
      if (tried.has(container.name) && tried.get(container.name) !== container.image) renew(container);
    const { actions, waits, wakeAt } = plan(report.known(pod), state, now);
    for (const action of actions) {
      if (action.do === "sandbox") {
        if (now < retryAt) continue;
        state = { ...state, sandbox: "making" };
        void makeSandbox();
      } else if (action.do === "start") start(action.container);
      else if (action.do === "stop") {
        say(ground, pod, action.container, { type: "Normal", reason: "Killing", message: `Stopping container ${action.container.name}` });
        stop(action.container, graceOf());
      } else if (action.do === "fail") {
        state = { ...state, failure: action };
        say(ground, pod, undefined, { type: "Normal", reason: action.reason, message: action.message });
        wake();
      } else void finish();
    }
    if (pod.metadata.deletionTimestamp !== undefined) for (const each of stopping.values()) each.hurry(graceOf());
    for (const container of waits) announceBackOff(container);
    if (state.sandbox === "ready" && now >= refreshAt) await refresh(now);
    const place = { podIP: sandbox?.address ?? pod.status.podIP, hostIP: driver.hostAddress };
    await report.send(pod, statusOf(report.known(pod), state, place, now));
    if (pod.metadata.deletionTimestamp !== undefined && state.sandbox === "gone" && running.size === 0) await forget();
    const next = state.sandbox === "ready" ? refreshAt : state.sandbox === "none" ? retryAt : undefined;
    const times = [wakeAt, next].filter((time) => time !== undefined);
    return times.length === 0 ? undefined : { type: "again", after: Math.max(0, Math.min(...times) - now) };
  };

  const announceBackOff = (container: Container) => {
    const key = `${container.name} ${stateOf(state, container).restarts}`;
    if (announced.has(key)) return;
    announced.add(key);
    const message = `Back-off restarting failed container ${container.name} in pod ${name}_${namespace}(${uid})`;
    say(ground, pod, container, { type: "Warning", reason: "BackOff", message });
  };
  const refresh = async (now: number) => {
    refreshAt = now + REFRESH;
    await prepareVolumes(pod, volumeFacts(ground, pod, sandbox!.address, folder)).catch(() => {});
  };
  const forget = async () => {
    if (deleted) return;
    try {
      await client.delete(Pod, { name, namespace }, { gracePeriodSeconds: 0, uid });
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
    deleted = true;
  };
  const endAll = async () => {
    isClosed = true;
    const all = [...running.values()];
    const ended = Promise.all(all.map(({ exit }) => exit));
    for (const each of all) each.process.signal("SIGTERM");
    // In real time: nobody advances a clock for a cluster that stops.
    const timer = setTimeout(() => {
      for (const each of all) each.process.signalAll("SIGKILL");
    }, LAST_GRACE);
    await ended;
    clearTimeout(timer);
    await sandbox?.close().catch(() => {});
  };

  return {
    get pod() {
      return pod;
    },
    get state() {
      return state;
    },
    get sandbox() {
      return sandbox;
    },
    running,
    folder,
    step,
    update(next) {
      pod = next;
    },
    close: endAll,
    async remove() {
      const all = [...running.values()];
      isClosed = true;
      for (const each of all) stopContainer(ground, pod, each, LAST_GRACE);
      await Promise.all(all.map(({ exit }) => exit));
      await sandbox?.close().catch(() => {});
      ground.addresses.release(uid);
      ground.tokens.forget(uid);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
