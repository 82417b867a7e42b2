/** Tracks activity of a cluster: requests in flight and the number of activities so far. */
export interface ActivityTracker {
  /** Records an activity. */
  record(): void;
  /** Records the start of an activity; the returned function records its end. */
  begin(): () => void;
  readonly count: number;
  readonly inFlight: number;
}

export function createActivityTracker(): ActivityTracker {
  let beats = 0;
  let underWay = 0;
  return {
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
