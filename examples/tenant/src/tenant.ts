import { allow, controller, defineResource, failed, listSet, type ObjectOf, z } from "pintle";
import { LimitRange, Namespace, ResourceQuota } from "pintle/kinds/core/v1";
import { NetworkPolicy } from "pintle/kinds/networking/v1";
import { ClusterRole, RoleBinding } from "pintle/kinds/rbac/v1";
import { childrenIn } from "./namespace.ts";
import { Plan } from "./plan.ts";

const name = z.string().regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
const subjects = listSet(z.string().min(1).max(253)).max(100).default([]);

export const Tenant = defineResource({
  group: "tenancy.example.com",
  version: "v1",
  kind: "Tenant",
  scope: "Cluster",
  spec: z.object({
    plan: z.string().min(1).max(253).describe("Name of the Plan."),
    namespaces: listSet(name.max(20)).min(1).max(50).describe("Namespaces, without the prefix `<tenant>-`."),
    admins: subjects.describe("Groups with the ClusterRole admin in every namespace."),
    viewers: subjects.describe("Groups with the ClusterRole view in every namespace."),
  }),
  status: z.object({ namespaces: z.array(z.string()).describe("Names of the namespaces that are Active.") }),
  rules: [{ rule: "self.metadata.name.size() <= 42", message: "must be at most 42 characters, because it prefixes namespace names" }],
  conditions: ["Available"],
  columns: [
    { name: "Plan", path: ".spec.plan" },
    { name: "Available", path: '.status.conditions[?(@.type=="Available")].status' },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
});
export interface Tenant extends ObjectOf<typeof Tenant> {}

export const tenant = controller(Tenant, {
  owns: [Namespace, ResourceQuota, LimitRange, NetworkPolicy, RoleBinding],
  watches: { plans: { kind: Plan, by: { name: ({ spec }) => spec.plan } } },
  // A binding to a role is refused unless its writer has all permissions of the role, or may bind it.
  needs: [allow(ClusterRole, "bind").named("admin", "view")],
  reconcile({ object, owned, related, want }) {
    const { metadata, spec } = object;
    const [plan] = related.plans;
    const names = spec.namespaces.map((each) => `${metadata.name}-${each}`);
    const status = { namespaces: names.filter((each) => owned(Namespace).get(each)?.status.phase === "Active") };
    // Without `children` the existing namespaces stay as they are.
    if (plan === undefined) return want({ status, failure: failed("PlanNotFound", `Plan ${spec.plan} does not exist`) });
    const message = `Plan ${spec.plan} allows ${plan.spec.maxNamespaces} namespaces, not ${names.length}`;
    if (names.length > plan.spec.maxNamespaces) return want({ status, failure: failed("TooManyNamespaces", message) });
    const isAvailable = status.namespaces.length === names.length;
    return want({
      children: Object.fromEntries(names.map((each) => [each, childrenIn(each, object, plan)])),
      status,
      conditions: { Available: { status: isAvailable, reason: isAvailable ? "NamespacesActive" : "NamespacesPending" } },
    });
  },
});
