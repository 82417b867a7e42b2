/** Tracks activity of a cluster: requests in flight and the number of activities so far. */
export interface ActivityTracker {
  /** Records an activity. */
  record(): void;
  /** Records the start of an activity; the returned function records its end. */
  begin(): () => void;
  /** Records work in this process that sends no request at present; the returned function records its end. */
  beginWork(description: string): () => void;
  readonly count: number;
  readonly inFlight: number;
  /** The descriptions of the work that has not ended. */
  readonly work: readonly string[];
}

export function createActivityTracker(): ActivityTracker {
  const work = new Set<{ readonly description: string }>();
  let recorded = 0;
  let inFlight = 0;
  return {
    beginWork(description) {
      const entry = { description };
      work.add(entry);
      recorded++;
      return () => {
        if (work.delete(entry)) recorded++;
      };
    },
    get work() {
      return [...work].map(({ description }) => description);
    },
    record() {
      recorded++;
    },
    begin() {
      recorded++;
      inFlight++;
      let isEnded = false;
      return () => {
        if (isEnded) return;
        isEnded = true;
        recorded++;
        inFlight--;
      };
    },
    get count() {
      return recorded;
    },
    get inFlight() {
      return inFlight;
    },
  };
}
