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
  let beats = 0;
  let underWay = 0;
  const work = new Set<{ readonly description: string }>();
  return {
    beginWork(description) {
      const entry = { description };
      work.add(entry);
      beats++;
      return () => {
        if (work.delete(entry)) beats++;
      };
    },
    get work() {
      return [...work].map(({ description }) => description);
    },
    record() {
      beats++;
    },
    begin() {
      beats++;
      underWay++;
      let over = false;
      return () => {
        if (over) return;
        over = true;
        beats++;
        underWay--;
      };
    },
    get count() {
      return beats;
    },
    get inFlight() {
      return underWay;
    },
  };
}
