import { type Controller, type Rule, rules } from "../controller/index.ts";
import type { StartOptions } from "./options.ts";

export interface Permissions {
  /** Wherever the controllers work: in all namespaces, or in those they are told to. */
  readonly work: readonly Rule[];
  /** In the namespace the operator runs in. */
  readonly home: readonly Rule[];
  /** For the whole cluster, also for an operator that works in a few namespaces only. */
  readonly cluster: readonly Rule[];
}

/** Everything `run()` with these options is allowed to need; nothing more is ever asked for. */
export function permissions(
  controllers: readonly Controller[],
  options: Pick<StartOptions, "leaderElection" | "metrics"> = {},
): Permissions {
  const { leaderElection = false, metrics } = options;
  const events: Rule = { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] };
  const lease: Rule = { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create", "get", "update"] };
  const review = (group: string, resource: string): Rule => ({ apiGroups: [group], resources: [resource], verbs: ["create"] });
  return {
    work: [...rules(controllers), events],
    home: leaderElection === false ? [] : [lease],
    cluster:
      typeof metrics === "object" && metrics.guarded === true
        ? [review("authentication.k8s.io", "tokenreviews"), review("authorization.k8s.io", "subjectaccessreviews")]
        : [],
  };
}
