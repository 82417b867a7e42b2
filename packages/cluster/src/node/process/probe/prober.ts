import type { Container, Probe } from "pintle/kinds/core/v1";
import type { Clock, Timer } from "pintle/queue";
import type { Answer } from "./answer.ts";
import { type Count, counted } from "./counter.ts";

export type ProbeKind = "Startup" | "Liveness" | "Readiness";

/** Nothing answers the moment it is started, and whoever fails the first time is asked a whole period later. */
const BREATH = 200;

export interface ProberFacts {
  readonly container: Container;
  readonly clock: Clock;
  /** Asks once. */
  check(probe: Probe): Promise<Answer>;
  /** A probe's result has changed. */
  found(kind: ProbeKind, result: boolean): void;
  /** It failed, whether or not that changes anything yet. */
  failed(kind: ProbeKind, why: string): void;
}

export interface Prober {
  /** The startup probe is through, or there is none: the other two begin. */
  begin(): void;
  stop(): void;
}

/** Asks a container how it is, as often as its pod wants. */
export function prober({ container, clock, check, found, failed }: ProberFacts): Prober {
  const timers = new Set<Timer>();
  let stopped = false;
  const later = (ms: number, run: () => void) => {
    if (stopped) return;
    const timer = clock.setTimeout(() => {
      timers.delete(timer);
      run();
    }, ms);
    timers.add(timer);
  };
  const follow = (kind: ProbeKind, probe: Probe, initial: boolean) => {
    const period = (probe.periodSeconds ?? 10) * 1000;
    let count: Count = { result: initial, times: 0 };
    const ask = async () => {
      const why = await check(probe);
      if (stopped) return;
      const before = count;
      count = counted(count, why === undefined, probe);
      if (why !== undefined) failed(kind, why);
      if (count.result !== before.result) {
        found(kind, count.result);
        // Over: a container that started stays so, one that is to be restarted is not asked again.
        if ((kind === "Startup" && count.result) || (kind !== "Readiness" && !count.result)) return;
      } else if (kind === "Startup" && !count.result && count.times >= (probe.failureThreshold ?? 3)) {
        found(kind, false);
        return;
      }
      later(period, () => void ask());
    };
    later(Math.max((probe.initialDelaySeconds ?? 0) * 1000, BREATH), () => void ask());
  };
  const begin = () => {
    const { livenessProbe, readinessProbe } = container;
    if (livenessProbe !== undefined) follow("Liveness", livenessProbe, true);
    if (readinessProbe !== undefined) follow("Readiness", readinessProbe, false);
  };
  if (container.startupProbe !== undefined) follow("Startup", container.startupProbe, false);
  return {
    begin,
    stop() {
      stopped = true;
      for (const timer of timers) clock.clearTimeout(timer);
      timers.clear();
    },
  };
}
