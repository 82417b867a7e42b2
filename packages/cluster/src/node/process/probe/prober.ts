import type { Clock, Timer } from "pintle/internal/clock";
import { runInBackground } from "pintle/internal/errors";
import type { Container, Probe } from "pintle/kinds/core/v1";
import type { ProbeResult } from "./probes.ts";

export type ProbeKind = "Startup" | "Liveness" | "Readiness";

/** The minimal initial delay: a process rarely responds at once, and the next probe is a full period later. Milliseconds. */
const MIN_INITIAL_DELAY = 200;

export interface ProberOptions {
  readonly container: Container;
  readonly clock: Clock;
  /** Runs a probe once. */
  runProbe(probe: Probe): Promise<ProbeResult>;
  /** Called when the outcome of a probe changes. */
  onResult(kind: ProbeKind, result: boolean): void;
  /** Called for every failed probe, whether or not the outcome changes. */
  onFailure(kind: ProbeKind, failure: string): void;
}

export interface Prober {
  /** Starts the liveness and readiness probes: there is no startup probe, or it succeeded. */
  startProbes(): void;
  stop(): void;
}

/** Creates the prober of a container, which runs its probes periodically. */
export function createProber({ container, clock, runProbe, onResult, onFailure }: ProberOptions): Prober {
  const timers = new Set<Timer>();
  let stopped = false;
  const schedule = (ms: number, run: () => void) => {
    if (stopped) return;
    const timer = clock.setTimeout(() => {
      timers.delete(timer);
      run();
    }, ms);
    timers.add(timer);
  };
  const runWorker = (kind: ProbeKind, probe: Probe, initial: boolean) => {
    const period = (probe.periodSeconds ?? 10) * 1000;
    let count: ProbeCount = { result: initial, times: 0 };
    const probeOnce = async () => {
      const failure = await runProbe(probe).catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
      if (stopped) return;
      const before = count;
      count = countProbeResult(count, failure === undefined, probe);
      if (failure !== undefined) onFailure(kind, failure);
      if (count.result !== before.result) {
        onResult(kind, count.result);
        // Done: a started container stays started, and a container to be restarted is not probed again.
        if ((kind === "Startup" && count.result) || (kind !== "Readiness" && !count.result)) return;
      } else if (kind === "Startup" && !count.result && count.times >= (probe.failureThreshold ?? 3)) {
        onResult(kind, false);
        return;
      }
      schedule(period, startProbe);
    };
    const startProbe = () => runInBackground(probeOnce());
    schedule(Math.max((probe.initialDelaySeconds ?? 0) * 1000, MIN_INITIAL_DELAY), startProbe);
  };
  const startProbes = () => {
    const { livenessProbe, readinessProbe } = container;
    if (livenessProbe !== undefined) runWorker("Liveness", livenessProbe, true);
    if (readinessProbe !== undefined) runWorker("Readiness", readinessProbe, false);
  };
  if (container.startupProbe !== undefined) runWorker("Startup", container.startupProbe, false);
  return {
    startProbes,
    stop() {
      stopped = true;
      for (const timer of timers) clock.clearTimeout(timer);
      timers.clear();
    },
  };
}

/** The consecutive results of a probe. */
export interface ProbeCount {
  readonly result: boolean;
  /** The last result, and how often it occurred in a row. */
  readonly last?: boolean | undefined;
  readonly times: number;
}

/** Adds a result. The outcome changes when the threshold is reached. */
export function countProbeResult(count: ProbeCount, success: boolean, { successThreshold = 1, failureThreshold = 3 }: Probe): ProbeCount {
  const times = count.last === success ? count.times + 1 : 1;
  const enough = times >= (success ? successThreshold : failureThreshold);
  return { result: enough ? success : count.result, last: success, times };
}
