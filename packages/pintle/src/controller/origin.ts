import type { Controller } from "./controller.ts";

/** Says which run a change came from, so that it does not wake the object it was made for: that run looks again by itself. */
export interface Origin {
  readonly controller: Controller;
  readonly key: string;
  /** False once the run is over: what is written later wakes like any other change. */
  active: boolean;
}
