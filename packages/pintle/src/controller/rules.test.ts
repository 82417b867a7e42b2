import { expect, test } from "vitest";
import * as z from "zod";
import { allow } from "../client/index.ts";
import { Deployment } from "../kinds/generated/apps/v1.ts";
import { ConfigMap, Namespace, Pod, Secret } from "../kinds/generated/core/v1.ts";
import { Ingress } from "../kinds/generated/networking/v1.ts";
import { Role } from "../kinds/generated/rbac/v1.ts";
import { meta } from "../kinds/index.ts";
import { defineResource } from "../resource/index.ts";
import { controller } from "./controller.ts";
import { grants } from "./grants.ts";
import { rules } from "./rules.ts";

const Thing = defineResource({ group: "example.com", version: "v1", kind: "Thing", spec: z.object({}), conditions: ["Ready"] });
const text = (list: ReturnType<typeof rules>) =>
  list.map(
    (rule) => `${rule.apiGroups[0]} ${rule.resources[0]}${rule.resourceNames ? `[${rule.resourceNames}]` : ""}: ${rule.verbs.join(" ")}`,
  );
const reconcile = () => {};

test("better 2 RBAC follows from what is declared", () => {
  const one = controller(Thing, {
    owns: [Deployment, meta(ConfigMap)],
    formerly: [Ingress],
    watches: { pods: { kind: Pod, by: { label: "x" } } },
    needs: [allow(Secret, "get").named("ca"), allow(Pod, "log/get", "eviction/create", "delete")],
    reconcile,
  });
  expect(text(rules([one]))).toEqual([
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

test("finalizers bring patch, on account of finalize or of children that no owner reference reaches", () => {
  const finalizing = controller(Thing, { reconcile, finalize: () => {} });
  const apart = controller(Thing, { owns: [Namespace], reconcile });
  expect(text(rules([finalizing]))).toContain("example.com things: get list patch watch");
  expect(text(rules([apart]))).toContain("example.com things: get list patch watch");
  expect(text(rules([apart]))).not.toContain("example.com things/finalizers: update");
});

test("owned roles: what they may grant has to be said", () => {
  const silent = controller(Thing, { name: "op", owns: [Role], reconcile });
  expect(() => rules([silent])).toThrow(/controller op owns Role: say with grants/);
  const said = controller(Thing, { owns: [Role], needs: [grants({ apiGroups: [""], resources: ["nodes"], verbs: ["get"] })], reconcile });
  expect(text(rules([said]))).toContain(" nodes: get");
});
