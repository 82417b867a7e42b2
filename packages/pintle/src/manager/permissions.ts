import { type Controller, policyRules, type ResourcePolicyRule } from "../controller/index.ts";
import { getLeaseName } from "./leader-election/leadership.ts";
import type { ManagerOptions } from "./options.ts";
import { requiresAuthorization } from "./serving/http-server.ts";

/** RBAC rules of an operator by where they apply. */
export interface OperatorPermissions {
  /** In the watched namespaces: all, or some. */
  readonly watchedNamespaces: readonly ResourcePolicyRule[];
  /** In the namespace of the operator. */
  readonly ownNamespace: readonly ResourcePolicyRule[];
  /** In the whole cluster, also for an operator that watches some namespaces only. */
  readonly clusterWide: readonly ResourcePolicyRule[];
}

/** Derives the RBAC rules that `run()` needs with these options. */
export function derivePermissions(
  controllers: readonly Controller[],
  options: Pick<ManagerOptions, "leaderElection" | "metrics" | "console"> = {},
): OperatorPermissions {
  const { leaderElection = false, metrics, console } = options;
  const events: ResourcePolicyRule = { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] };
  const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] } as const;
  const leaseName = getLeaseName(typeof leaderElection === "object" ? leaderElection : {}, controllers);
  // A create request has no name yet, so RBAC cannot restrict it by name.
  const leaseRules: readonly ResourcePolicyRule[] = [
    { ...leases, verbs: ["create"] },
    { ...leases, resourceNames: [leaseName], verbs: ["get", "update"] },
  ];
  const review = (group: string, resource: string): ResourcePolicyRule => ({
    apiGroups: [group],
    resources: [resource],
    verbs: ["create"],
  });
  return {
    watchedNamespaces: [...policyRules(controllers), events],
    ownNamespace: leaderElection === false ? [] : leaseRules,
    clusterWide:
      console !== undefined ||
      (metrics !== undefined && requiresAuthorization(typeof metrics === "string" ? { address: metrics } : metrics))
        ? [review("authentication.k8s.io", "tokenreviews"), review("authorization.k8s.io", "subjectaccessreviews")]
        : [],
  };
}
