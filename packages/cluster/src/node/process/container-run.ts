import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import type { Container, Pod, Probe } from "pintle/kinds/core/v1";
import { check } from "./check.ts";
import { ConfigProblem } from "./environment/problem.ts";
import type { Ground } from "./ground.ts";
import { ImageProblem } from "./image/image-store.ts";
import { logPathOf, makeContainer, type PodPlace, StartProblem } from "./make-container.ts";
import { type ProbeKind, prober } from "./probe/prober.ts";
import type { RunningContainer } from "./runtime/container.ts";
import { say } from "./say.ts";
import { runHook } from "./stop-container.ts";
import type { ContainerState } from "./sync/state.ts";

/** What a run tells the pod it belongs to. */
export interface RunEvents {
  change(change: (own: ContainerState) => ContainerState): void;
  isStopping(): boolean;
  started(container: RunningContainer): void;
  ended(): void;
  /** It has to be started anew. */
  kill(grace: number): void;
}

const RETRY = 10_000;
const HOOK_TIMEOUT = 300_000;
const FIRST_PULL = 10_000;
const LONGEST_PULL = 300_000;

/** One run of a container: image, process, hooks and probes, until it ends. */
export async function containerRun(
  ground: Ground,
  pod: Pod,
  container: Container,
  place: PodPlace,
  number: number,
  events: RunEvents,
): Promise<void> {
  const { clock, guard } = ground;
  const said = (type: "Normal" | "Warning", reason: string, message: string) => say(ground, pod, container, { type, reason, message });
  const id = `process://${createHash("sha256").update(`${pod.metadata.uid} ${container.name} ${number}`).digest("hex")}`;
  const blocked = (reason: string, message: string, wait: number) =>
    events.change((own) => ({ ...own, standing: { at: "blocked", reason, message, retryAt: clock.now() + wait } }));
  let made: RunningContainer;
  const begunAt = clock.now();
  try {
    const image = await pulled(ground, container, said);
    events.change((own) => ({ ...own, imageId: image.id }));
    const slow = ground.faults.slow.get(container.image ?? "") ?? 0;
    if (slow > 0) await clock.sleep(slow);
    made = await makeContainer(ground, pod, container, image, place, { id, number });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof ImageProblem) return notPulled(ground, pod, container, error, events, said);
    if (error instanceof StartProblem) {
      said("Normal", "Created", "Container created");
      said("Warning", "Failed", `Error: ${message}`);
      const ended = { id, exitCode: 128, reason: "StartError", message, startedAt: begunAt, finishedAt: clock.now() };
      return events.change((own) => ({ ...own, standing: { at: "ended", ended } }));
    }
    said("Warning", "Failed", `Error: ${message}`);
    return blocked(error instanceof ConfigProblem ? "CreateContainerConfigError" : "CreateContainerError", message, RETRY);
  }
  events.started(made);
  said("Normal", "Created", "Container created");
  said("Normal", "Started", "Container started");
  const startedAt = clock.now();
  const { lifecycle = {}, startupProbe, readinessProbe } = container;
  const ready = (own: ContainerState, change: { readonly started?: boolean; readonly ready?: boolean }): ContainerState =>
    own.standing.at === "running" && !own.standing.stopping ? { ...own, standing: { ...own.standing, ...change } } : own;
  const probes = prober({
    container,
    clock,
    check: (probe: Probe) => check(probe, made, guard),
    failed: (kind: ProbeKind, why: string) => {
      if (!events.isStopping()) said("Warning", "Unhealthy", `${kind} probe failed: ${why}`);
    },
    found: (kind: ProbeKind, result: boolean) => {
      if (kind === "Readiness") events.change((own) => ready(own, { ready: result }));
      else if (kind === "Startup" && result) up();
      else if (!result && !events.isStopping()) {
        const probe = kind === "Startup" ? startupProbe : container.livenessProbe;
        said("Normal", "Killing", `Container ${container.name} failed ${kind.toLowerCase()} probe, will be restarted`);
        events.kill((probe?.terminationGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30) * 1000);
      }
    },
  });
  const up = () => {
    events.change((own) => ready(own, { started: true, ...(readinessProbe === undefined ? { ready: true } : {}) }));
    probes.begin();
  };
  const waits = startupProbe !== undefined || lifecycle.postStart !== undefined;
  events.change((own) => ({
    ...own,
    standing: { at: "running", id, startedAt, started: !waits, ready: !waits && readinessProbe === undefined, stopping: false },
  }));
  void (async () => {
    if (lifecycle.postStart !== undefined) {
      const why = await runHook(ground, lifecycle.postStart, made, HOOK_TIMEOUT);
      if (why !== undefined) {
        said("Warning", "FailedPostStartHook", `PostStartHook failed: ${why}`);
        said("Normal", "Killing", "FailedPostStartHook");
        return events.kill((pod.spec.terminationGracePeriodSeconds ?? 30) * 1000);
      }
      if (startupProbe === undefined) up();
    } else if (!waits) probes.begin();
  })();

  const exit = await made.exit;
  probes.stop();
  events.ended();
  const oom = ground.oomKilled.delete(id);
  const reason = oom ? "OOMKilled" : exit.code === 0 ? "Completed" : "Error";
  const message = await made.message(exit);
  // What it wrote beside its volumes goes with it; what it said stays for as long as somebody may ask for the run before.
  await rm(made.launch.folder, { recursive: true, force: true });
  await rm(logPathOf(place.folder, container.name, number - 2), { force: true });
  const ended = { id, exitCode: exit.code, reason, message, startedAt, finishedAt: clock.now() };
  events.change((own) => ({ ...own, standing: { at: "ended", ended } }));
}

type Say = (type: "Normal" | "Warning", reason: string, message: string) => void;

async function pulled({ images }: Ground, container: Container, said: Say) {
  const { image = "" } = container;
  if (images.isFetched(container)) said("Normal", "Pulling", `Pulling image "${image}"`);
  const found = await images.get(container);
  const took = `${found.fetched?.took ?? 0}ms`;
  const message =
    found.fetched === undefined
      ? `Container image "${image}" already present on machine`
      : `Successfully pulled image "${image}" in ${took} (${took} including waiting). Image size: ${found.fetched.bytes} bytes.`;
  said("Normal", "Pulled", message);
  return found;
}

/** First the error, then the wait for another try: both are seen. */
function notPulled(ground: Ground, pod: Pod, { name, image = "" }: Container, problem: ImageProblem, events: RunEvents, said: Say): void {
  const { clock, pulls } = ground;
  const key = `${pod.metadata.uid} ${name}`;
  const wait = Math.min(pulls.get(key) ?? FIRST_PULL, LONGEST_PULL);
  pulls.set(key, wait * 2);
  const { reason, message } = problem;
  said("Warning", "Failed", reason === "ErrImagePull" ? `Failed to pull image "${image}": ${message}` : `Error: ${reason}`);
  if (reason === "ErrImagePull") said("Warning", "Failed", "Error: ErrImagePull");
  const retryAt = clock.now() + wait;
  const shown = (why: string, text: string) =>
    events.change((own) =>
      own.standing.at === "creating" || own.standing.at === "blocked"
        ? { ...own, standing: { at: "blocked", reason: why, message: text, retryAt } }
        : own,
    );
  shown(reason, message);
  if (reason !== "ErrImagePull") return;
  clock.setTimeout(() => {
    said("Normal", "BackOff", `Back-off pulling image "${image}"`);
    said("Warning", "Failed", "Error: ImagePullBackOff");
    shown("ImagePullBackOff", `Back-off pulling image "${image}": ErrImagePull: ${message}`);
  }, wait / 5);
}
