import { expect, test } from "vitest";
import { Deployment, StatefulSet } from "../../kinds/generated/apps/v1.ts";
import { Job } from "../../kinds/generated/batch/v1.ts";
import { ConfigMap, PersistentVolumeClaim, Pod, Service } from "../../kinds/generated/core/v1.ts";
import { defineUntypedKind, type KindInfo } from "../../kinds/index.ts";
import type { LiveJsonObject } from "./decide.ts";
import { isReady } from "./readiness.ts";

const Custom = defineUntypedKind({ group: "x.io", version: "v1", kind: "Custom", plural: "customs", scope: "Namespaced" });
const trueCondition = (type: string) => ({ conditions: [{ type, status: "True" }] });
const falseCondition = (type: string) => ({ conditions: [{ type, status: "False" }] });
const rolledOut = { observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 3 };

test.each<[kind: KindInfo, spec: object, status: object, ready: boolean]>([
  [ConfigMap, {}, {}, true],
  [Deployment, { replicas: 3 }, rolledOut, true],
  [Deployment, { replicas: 3 }, { ...rolledOut, observedGeneration: 1 }, false],
  [Deployment, { replicas: 3 }, { ...rolledOut, replicas: 4 }, false],
  [Deployment, { replicas: 3 }, { ...rolledOut, availableReplicas: 2 }, false],
  [Deployment, { replicas: 0 }, { observedGeneration: 2 }, true],
  [StatefulSet, { replicas: 2 }, { observedGeneration: 2, readyReplicas: 2, updatedReplicas: 2 }, true],
  [StatefulSet, { replicas: 2 }, { observedGeneration: 2, readyReplicas: 1 }, false],
  [Job, {}, trueCondition("Complete"), true],
  [Job, {}, trueCondition("Failed"), false],
  [Pod, {}, trueCondition("Ready"), true],
  [Pod, {}, { phase: "Succeeded", ...falseCondition("Ready") }, true],
  [Pod, {}, { phase: "Running" }, false],
  [PersistentVolumeClaim, {}, { phase: "Bound" }, true],
  [PersistentVolumeClaim, {}, { phase: "Pending" }, false],
  [Service, { type: "ClusterIP" }, {}, true],
  [Service, { type: "LoadBalancer" }, { loadBalancer: {} }, false],
  [Service, { type: "LoadBalancer" }, { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } }, true],
  [Custom, {}, {}, true],
  [Custom, {}, trueCondition("Ready"), true],
  [Custom, {}, falseCondition("Ready"), false],
  [Custom, {}, { observedGeneration: 1, ...trueCondition("Ready") }, false],
])("RT-70 readiness: %o %o %o is %s", (kind, spec, status, ready) => {
  const metadata = { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "", generation: 2 };
  expect(isReady(kind, { metadata, spec, status } as unknown as LiveJsonObject)).toBe(ready);
  expect(isReady(kind, { metadata: { ...metadata, deletionTimestamp: "now" }, spec, status } as unknown as LiveJsonObject)).toBe(false);
});
