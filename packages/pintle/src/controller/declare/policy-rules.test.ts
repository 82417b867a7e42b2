import { expect, test } from "vitest";
import * as z from "zod";
import { allow } from "../../client/index.ts";
import { Deployment } from "../../kinds/generated/apps/v1.ts";
import { ConfigMap, Namespace, Pod, Secret, ServiceAccount } from "../../kinds/generated/core/v1.ts";
import { Ingress } from "../../kinds/generated/networking/v1.ts";
import { Role } from "../../kinds/generated/rbac/v1.ts";
import { metadataOnly } from "../../kinds/index.ts";
import { defineResource } from "../../resource/index.ts";
import { controller } from "./controller.ts";
import { grantPolicyRules } from "./policy-rule-grant.ts";
import { policyRules } from "./policy-rules.ts";

const Thing = defineResource({ group: "example.com", version: "v1", kind: "Thing", spec: z.object({}), conditions: ["Ready"] });
const text = (list: ReturnType<typeof policyRules>) =>
  list.map(
    (rule) => `${rule.apiGroups[0]} ${rule.resources[0]}${rule.resourceNames ? `[${rule.resourceNames}]` : ""}: ${rule.verbs.join(" ")}`,
  );
const reconcile = () => {};

test("RT-35 RBAC rules are derived from the declaration", () => {
  const one = controller(Thing, {
    owns: [Deployment, metadataOnly(ConfigMap)],
    formerly: [Ingress],
    watches: { pods: { kind: Pod, by: { label: "x" } } },
    needs: [allow(Secret, "get").named("ca"), allow(Pod, "log/get", "eviction/create", "delete")],
    reconcile,
  });
  expect(text(policyRules([one]))).toEqual([
    " configmaps: create delete get list patch watch",
    " pods: delete get list watch",
    " pods/eviction: create",
    " pods/log: get",
    " secrets[ca]: get",
    "apps deployments: create delete get list patch watch",
    "example.com things: get list watch",
    "example.com things/finalizers: update",
    "example.com things/status: patch",
    "networking.k8s.io ingresses: delete get list watch",
  ]);
});

test("grants patch for finalizers, with `finalize` or with cross-namespace children", () => {
  const finalizing = controller(Thing, { reconcile, finalize: () => {} });
  const apart = controller(Thing, { owns: [Namespace], reconcile });
  expect(text(policyRules([finalizing]))).toContain("example.com things: get list patch watch");
  expect(text(policyRules([apart]))).toContain("example.com things: get list patch watch");
  expect(text(policyRules([apart]))).not.toContain("example.com things/finalizers: update");
});

test("throws for owned roles without declared grants", () => {
  const silent = controller(Thing, { name: "op", owns: [Role], reconcile });
  expect(() => policyRules([silent])).toThrow(/controller op owns Role: declare with grantPolicyRules/);
  const labelled = controller(Thing, {
    owns: [Role],
    needs: [grantPolicyRules({ apiGroups: [""], resources: ["nodes"], verbs: ["get"] })],
    reconcile,
  });
  expect(text(policyRules([labelled]))).toContain(" nodes: get");
});

test("grants verbs that only the API server checks, also on resources without a kind", () => {
  const op = controller(Thing, {
    owns: [Role],
    needs: [
      allow(Role, "bind", "escalate"),
      allow(ServiceAccount, "impersonate").named("builder"),
      allow({ group: "", resource: "users" }, "impersonate"),
      allow({ group: "certificates.k8s.io", resource: "signers" }, "approve", "sign").named("example.com/client"),
      allow({ group: "security.openshift.io", resource: "securitycontextconstraints" }, "use").named("anyuid"),
    ],
    reconcile,
  });
  expect(text(policyRules([op]))).toEqual([
    " serviceaccounts[builder]: impersonate",
    " users: impersonate",
    "certificates.k8s.io signers[example.com/client]: approve sign",
    "example.com things: get list watch",
    "example.com things/finalizers: update",
    "example.com things/status: patch",
    "rbac.authorization.k8s.io roles: bind create delete escalate get list patch watch",
    "security.openshift.io securitycontextconstraints[anyuid]: use",
  ]);
});
