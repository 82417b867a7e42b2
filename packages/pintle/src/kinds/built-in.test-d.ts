import type { Deployment as DeploymentRead } from "./generated/apps/v1.ts";
import { Deployment, StatefulSet } from "./generated/apps/v1.ts";
import { TokenReview } from "./generated/authentication/v1.ts";
import type { Scale } from "./generated/autoscaling/v1.ts";
import { HorizontalPodAutoscaler } from "./generated/autoscaling/v2.ts";
import { Job } from "./generated/batch/v1.ts";
import { Lease } from "./generated/coordination/v1.ts";
import {
  ComponentStatus,
  ConfigMap,
  Namespace,
  type Node,
  type Pod,
  type PodSpec,
  ResourceQuota,
  Secret,
  Service,
} from "./generated/core/v1.ts";
import { defineUntypedKind, encodeSecretData, formatMicroTime, type IdOf, type ObjectOf, type ObjectRef, optionalKind } from "./index.ts";

declare const deployment: DeploymentRead;
declare const pod: Pod;
declare const maybe: string | undefined;

// Read: what the server always writes is there, and nothing can be changed.
const ready: number | undefined = deployment.status.readyReplicas;
const namespace: string = deployment.metadata.namespace;
const phase: "Failed" | "Pending" | "Running" | "Succeeded" | "Unknown" | undefined = pod.status.phase;
const same: DeploymentRead = {} as ObjectOf<typeof Deployment>;
const id: IdOf<typeof Deployment> = "apps/v1/Deployment";
const at: ObjectRef<typeof Deployment> = { name: "a", namespace: "b" };
// @ts-expect-error a namespaced object is not found by name alone
const nowhere: ObjectRef<typeof Deployment> = { name: "a" };
const cluster: ObjectRef<typeof Node> = { name: "a" };
// @ts-expect-error read-only
deployment.spec.replicas = 1;
// @ts-expect-error read-only, all the way down
pod.spec.containers[0]!.ports![0]!.containerPort = 1;

// Apply: what was read can be passed on, optional values too.
const template: PodSpec = { ...pod.spec, containers: [{ name: "a", image: maybe }] };
Deployment.desired({ metadata: { name: "a" }, spec: { selector: deployment.spec.selector, template: { spec: template } } });
// @ts-expect-error the selector is missing
Deployment.desired({ metadata: { name: "a" }, spec: { template: {} } });
// @ts-expect-error spec has required fields, so it is required itself
Deployment.desired({ metadata: { name: "a" } });
// @ts-expect-error status is not applied with the object
Deployment.desired({ metadata: { name: "a" }, spec: deployment.spec, status: deployment.status });
// @ts-expect-error the name is the identity
Deployment.desired({ metadata: { generateName: "a-" }, spec: deployment.spec });
// @ts-expect-error a typo
Service.desired({ metadata: { name: "a" }, spec: { selectors: {} } });
Service.desired({ metadata: { name: "a" } });
// @ts-expect-error enums are closed
Service.desired({ metadata: { name: "a" }, spec: { type: "LoadBalance" } });
Service.desired({
  metadata: { name: "a" },
  spec: {
    ports: [
      { port: 80, targetPort: "web" },
      { port: 81, targetPort: 8081 },
    ],
  },
});
Secret.desired({ metadata: { name: "a" }, data: encodeSecretData({ key: "value", other: maybe }) });
const quota: string | undefined = ResourceQuota.desired({ metadata: { name: "a" } }).object.metadata.name;
// @ts-expect-error the object of a child is typed
ResourceQuota.desired({ metadata: { name: "a" } }).object.spec?.hards;
optionalKind(Service).desired({ metadata: { name: "a" }, spec: { clusterIP: "None" } }, { ready: (live) => live.spec !== undefined });
// @ts-expect-error a typo
optionalKind(Service).desired({ metadata: { name: "a" }, spec: { selectors: {} } });
// @ts-expect-error the server turns it into data without a field manager
Secret.desired({ metadata: { name: "a" }, stringData: { key: "value" } });
ConfigMap.desired({ metadata: { name: "a", namespace: "b" }, data: { key: "value" } });
// @ts-expect-error a namespace is in no namespace
Namespace.desired({ metadata: { name: "a", namespace: "b" } });
Lease.desired({ metadata: { name: "a" }, spec: { renewTime: formatMicroTime(new Date()) } });
Job.desired({ metadata: { name: "a" }, spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "a" }] } } } });
HorizontalPodAutoscaler.desired({ metadata: { name: "a" }, spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "a" } } });
// Templates of stored kinds need nothing the server fills in.
StatefulSet.desired({
  metadata: { name: "a" },
  spec: {
    selector: {},
    serviceName: "a",
    template: {},
    volumeClaimTemplates: [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } }],
  },
});
// @ts-expect-error component statuses are read-only
ComponentStatus.desired({ metadata: { name: "a" } });
TokenReview.desired({ spec: { token: "t" } });
const scale: Pick<Scale, "kind" | "spec"> = { kind: "Scale", spec: { replicas: 1 } };

const Widget = defineUntypedKind({ group: "x.io", version: "v1", kind: "Widget", plural: "widgets", scope: "Cluster" });
const widgetId: "x.io/v1/Widget" = Widget.id;
const widget: ObjectRef<typeof Widget> = { name: "a" };
const unknown: unknown = ({} as ObjectOf<typeof Widget>)["spec"];

export default [ready, quota, namespace, phase, same, id, at, nowhere, cluster, scale, widgetId, widget, unknown];
