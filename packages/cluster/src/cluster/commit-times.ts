import type { Clock } from "pintle/internal/clock";
import type { ObjectStore } from "../store/index.ts";

/** When the commits of a store happened, by the cluster's clock. */
export interface CommitTimes {
  /** Returns the time of the last commit up to a revision, in milliseconds since 1970; undefined if it is not known any more. */
  timeOf(revision: number): number | undefined;
}

/** As many commits as the store retains by default. */
const MAX_COMMITS = 20_000;

/** Records the time of every commit from now on. `earlier` knows those of the store that this one was forked from. */
export async function trackCommitTimes(store: ObjectStore, clock: Clock, earlier?: CommitTimes): Promise<CommitTimes> {
  const first = store.currentRevision();
  let revisions: number[] = [];
  let times: number[] = [];
  await store.watch("/", first, ({ revision }) => {
    revisions.push(revision);
    times.push(clock.now());
    // Truncated at twice the limit, so that few commits copy the lists.
    if (revisions.length < 2 * MAX_COMMITS) return;
    revisions = revisions.slice(-MAX_COMMITS);
    times = times.slice(-MAX_COMMITS);
  });
  return {
    timeOf(revision) {
      if (revision <= first) return earlier?.timeOf(revision);
      let low = 0;
      let high = revisions.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((revisions[middle] as number) <= revision) low = middle + 1;
        else high = middle;
      }
      return low === 0 ? earlier?.timeOf(first) : times[low - 1];
    },
  };
}
