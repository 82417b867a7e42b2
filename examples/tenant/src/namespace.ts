import { LimitRange, Namespace, ResourceQuota } from "pintle/kinds/core/v1";
import { NetworkPolicy } from "pintle/kinds/networking/v1";
import { RoleBinding } from "pintle/kinds/rbac/v1";
import type { Plan } from "./plan.ts";
import type { Tenant } from "./tenant.ts";

export const LABEL = "tenancy.example.com/tenant";

/** Returns a namespace of a Tenant and everything in it. */
export function childrenIn(namespace: string, { metadata, spec }: Tenant, { spec: { quota, containerDefaults, isolated } }: Plan) {
  const labels = { [LABEL]: metadata.name };
  const created = Namespace.desired({ metadata: { name: namespace, labels } });
  const named = (name: string) => ({ name, namespace, labels });
  const after = [created];
  const limits = [{ type: "Container", default: containerDefaults }];
  const ingress = [{ from: [{ namespaceSelector: { matchLabels: labels } }] }];
  return [
    created,
    ResourceQuota.desired({ metadata: named("plan"), spec: { hard: quota } }, { after }),
    containerDefaults && LimitRange.desired({ metadata: named("plan"), spec: { limits } }, { after }),
    isolated && NetworkPolicy.desired({ metadata: named("same-tenant"), spec: { podSelector: {}, ingress } }, { after }),
    spec.admins.length > 0 && RoleBinding.desired({ metadata: named("admin"), ...bind("admin", spec.admins) }, { after }),
    spec.viewers.length > 0 && RoleBinding.desired({ metadata: named("view"), ...bind("view", spec.viewers) }, { after }),
  ];
}

function bind(role: string, groups: readonly string[]) {
  const apiGroup = "rbac.authorization.k8s.io";
  return { roleRef: { apiGroup, kind: "ClusterRole", name: role }, subjects: groups.map((name) => ({ apiGroup, kind: "Group", name })) };
}
