import type { Change, Stored } from "../cache/index.ts";
import type { Queue, Reason } from "../queue/index.ts";

interface Held {
  readonly reason: Reason;
  readonly priority: number;
  readonly echo: string;
}

/** One run of one object: what it wrote, and what happened meanwhile. */
export interface Run {
  /** An answer of its own: seeing it again, in the watch, is no news. */
  wrote(object: { readonly metadata: { readonly uid: string; readonly resourceVersion: string } }): void;
  erased(uid: string): void;
  /** It looks at everything anew: whatever happened up to now is part of it. Gives the reasons. */
  absorb(): readonly Reason[];
  /** What happened since its last look, and was not its own doing, wakes the object again. */
  end(): void;
}

/**
 * The runs under way. A change that concerns an object while it runs waits for the end of the run, because only then it is
 * known whether it was the run's own: the watch may be faster than the answer.
 */
export function runs(work: Queue) {
  const active = new Map<string, { held: Held[]; readonly own: Set<string> }>();
  return {
    begin(key: string): Run {
      const run = { held: [] as Held[], own: new Set<string>() };
      active.set(key, run);
      return {
        wrote: ({ metadata }) => void run.own.add(`${metadata.uid} ${metadata.resourceVersion}`),
        erased: (uid) => void run.own.add(`${uid} deleted`),
        absorb() {
          const reasons = run.held.map(({ reason }) => reason);
          run.held = [];
          return [...reasons, ...work.absorb(key)];
        },
        end() {
          active.delete(key);
          for (const { reason, priority, echo } of run.held) if (!run.own.has(echo)) work.add(key, { reason, priority });
        },
      };
    },
    /** Wakes an object: at once, or when its run is over. */
    wake(key: string, change: Change<Stored>, reason: Reason, priority: number): void {
      const run = active.get(key);
      if (run === undefined) work.add(key, { reason, priority });
      else run.held.push({ reason, priority, echo: echoOf(change) });
    },
  };
}
export type Runs = ReturnType<typeof runs>;

function echoOf({ old, new: now }: Change<Stored>): string {
  return now === undefined ? `${old!.metadata.uid} deleted` : `${now.metadata.uid} ${now.metadata.resourceVersion}`;
}
