import type { Probe } from "pintle/kinds/core/v1";

/** What a probe has found so far. */
export interface Count {
  readonly result: boolean;
  /** How often in a row the last answer was given. */
  readonly last?: boolean | undefined;
  readonly times: number;
}

/** One answer more: the result changes when enough of them agree. */
export function counted(count: Count, success: boolean, { successThreshold = 1, failureThreshold = 3 }: Probe): Count {
  const times = count.last === success ? count.times + 1 : 1;
  const enough = times >= (success ? successThreshold : failureThreshold);
  return { result: enough ? success : count.result, last: success, times };
}
