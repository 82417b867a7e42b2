/** Signs of life of a cluster: what is under way, and how much has happened. */
export interface Pulse {
  /** Something happened that others may act on. */
  beat(): void;
  /** Something began; returns how to say that it is over. */
  begin(): () => void;
  readonly beats: number;
  readonly underWay: number;
}

export function pulse(): Pulse {
  let beats = 0;
  let underWay = 0;
  return {
    beat() {
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
    get beats() {
      return beats;
    },
    get underWay() {
      return underWay;
    },
  };
}
