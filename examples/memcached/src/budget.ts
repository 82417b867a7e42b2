import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { LABEL } from "./deployment.ts";
import type { Memcached } from "./memcached.ts";

/** Nodes may be emptied one server at a time: what one of them remembers is asked for anew, not everything at once. */
export function budgetFor({ metadata: { name } }: Memcached) {
  return PodDisruptionBudget.desired({ metadata: { name }, spec: { maxUnavailable: 1, selector: { matchLabels: { [LABEL]: name } } } });
}
