import { type Child, controller, defineResource, elsewhere, encodeSecretData, grantPolicyRules, type NamespacedName, z } from "pintle";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "pintle/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "pintle/kinds/autoscaling/v2";
import { CronJob, Job } from "pintle/kinds/batch/v1";
import { Lease } from "pintle/kinds/coordination/v1";
import {
  ConfigMap,
  Endpoints,
  LimitRange,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodTemplate,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from "pintle/kinds/core/v1";
import { EndpointSlice } from "pintle/kinds/discovery/v1";
import { Ingress, IngressClass, NetworkPolicy } from "pintle/kinds/networking/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "pintle/kinds/rbac/v1";
import { PriorityClass } from "pintle/kinds/scheduling/v1";
import { StorageClass } from "pintle/kinds/storage/v1";
import { isOlderKubernetes } from "../real/versions.ts";

/** A resource with one child of every kind that operators commonly create, each with fields that a server defaults or normalises. */
export const Bundle = defineResource({
  group: "runtime.example.com",
  version: "v1",
  kind: "Bundle",
  spec: z.object({ poke: z.string().optional() }),
  status: z.object({ children: z.int() }),
  conditions: ["Applied"],
});

const labels = { app: "bundle" };
const selector = { matchLabels: labels };
const container = {
  name: "main",
  image: "registry.example.com/main:1",
  command: [],
  env: [
    { name: "EMPTY", value: "" },
    { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
  ],
  ports: [{ containerPort: 8080 }, { containerPort: 8080, protocol: "UDP" as const }],
  resources: { requests: { cpu: "0.5", memory: "1024Mi" }, limits: { cpu: "1000m", memory: "1Gi" } },
  volumeMounts: [{ name: "config", mountPath: "/etc/config" }],
  livenessProbe: { httpGet: { path: "/", port: 8080 } },
};
const podSpec = {
  containers: [container],
  volumes: [{ name: "config", configMap: { name: "plain" } }],
  nodeSelector: {},
  automountServiceAccountToken: false,
};
const template = { metadata: { labels }, spec: podSpec };
const jobTemplate = { metadata: { labels }, spec: { ...podSpec, restartPolicy: "Never" as const } };

/** Returns the children of a bundle; `extra`, as in an earlier version of the operator, adds a field to some of them. */
export function childrenOf(name: string, extra: boolean): readonly Child<any>[] {
  const metadata = { name, labels };
  // A RoleBinding needs the role to exist.
  const role = Role.desired({ metadata, rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] });
  const clusterRole = ClusterRole.desired({ metadata, rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] });
  const more = extra ? { annotations: { "example.com/extra": "yes" } } : {};
  return [
    ConfigMap.desired({ metadata: { ...metadata, ...more }, data: { a: "", b: "x" } }),
    Secret.desired({ metadata, data: encodeSecretData({ password: "secret" }) }),
    ServiceAccount.desired({ metadata, automountServiceAccountToken: false }),
    Service.desired({
      metadata: { ...metadata, ...more },
      spec: {
        selector: labels,
        ports: [
          { name: "web", port: 80, targetPort: 8080 },
          { name: "dns", port: 53, protocol: "UDP" },
        ],
      },
    }),
    PersistentVolumeClaim.desired({ metadata, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } } } }),
    Pod.desired({ metadata, spec: { ...podSpec, serviceAccountName: "default" } }),
    PodTemplate.desired({ metadata, template }),
    ResourceQuota.desired({ metadata, spec: { hard: { "requests.cpu": "1000", pods: "0100" } } }),
    LimitRange.desired({ metadata, spec: { limits: [{ type: "PersistentVolumeClaim", max: { storage: "2048Gi" } }] } }),
    Endpoints.desired({
      metadata: { ...metadata, name: `${name}-endpoints` },
      subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }],
    }),
    Deployment.desired({
      metadata: { ...metadata, ...more },
      spec: { replicas: 0, selector, template, ...(extra ? { minReadySeconds: 5 } : {}) },
    }),
    StatefulSet.desired({
      metadata,
      spec: {
        replicas: 0,
        serviceName: name,
        selector,
        template,
        volumeClaimTemplates: [
          { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1.5Gi" } } } },
        ],
      },
    }),
    DaemonSet.desired({ metadata, spec: { selector, template: { ...template, spec: { ...podSpec, nodeSelector: { none: "here" } } } } }),
    ReplicaSet.desired({ metadata, spec: { replicas: 0, selector, template } }),
    Job.desired({ metadata, spec: { suspend: true, backoffLimit: 0, template: jobTemplate } }),
    CronJob.desired({ metadata, spec: { schedule: "0 0 1 1 *", suspend: true, jobTemplate: { spec: { template: jobTemplate } } } }),
    HorizontalPodAutoscaler.desired({
      metadata,
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
        metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }],
      },
    }),
    PodDisruptionBudget.desired({ metadata, spec: { selector, maxUnavailable: 0 } }),
    NetworkPolicy.desired({ metadata, spec: { podSelector: {}, ingress: [], policyTypes: ["Ingress"] } }),
    Ingress.desired({
      metadata,
      spec: {
        rules: [
          {
            host: "example.com",
            http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name, port: { number: 80 } } } }] },
          },
        ],
      },
    }),
    role,
    RoleBinding.desired(
      {
        metadata,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
        subjects: [{ kind: "ServiceAccount", name }],
      },
      { after: [role] },
    ),
    Lease.desired({ metadata, spec: { holderIdentity: "", leaseDurationSeconds: 15 } }),
    EndpointSlice.desired({ metadata, addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }], ports: [{ port: 80 }] }),
    clusterRole,
    ClusterRoleBinding.desired(
      {
        metadata,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
        subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
      },
      { after: [clusterRole] },
    ),
    PriorityClass.desired({ metadata, value: 0, description: "" }),
    // Before 1.36 a server rejects the second apply of empty parameters, as a change of them.
    StorageClass.desired({ metadata, provisioner: "example.com/none", parameters: isOlderKubernetes("1.36") ? undefined : {} }),
    IngressClass.desired({ metadata, spec: { controller: "example.com/none" } }),
    Namespace.desired({ metadata }),
    PersistentVolume.desired({
      metadata,
      spec: { capacity: { storage: "1024Mi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/tmp/none" }, storageClassName: "" },
    }),
    ValidatingWebhookConfiguration.desired({
      metadata,
      webhooks: [
        {
          name: "never.example.com",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          failurePolicy: "Ignore",
          clientConfig: { service: { name, namespace: "default" } },
          rules: [{ apiGroups: ["never.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nevers"] }],
        },
      ],
    }),
    MutatingWebhookConfiguration.desired({
      metadata,
      webhooks: [
        {
          name: "never.example.com",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          failurePolicy: "Ignore",
          clientConfig: { service: { name, namespace: "default" } },
          rules: [{ apiGroups: ["never.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nevers"] }],
        },
      ],
    }),
  ];
}

export interface BundleOptions {
  /** Creates children as an earlier version of the operator did. */
  readonly extra?: boolean;
  /** Yields names of bundles to enqueue again. */
  readonly again?: (signal: AbortSignal) => AsyncIterable<NamespacedName>;
  readonly reconciled?: () => void;
}

export const bundles = ({ extra = false, again, reconciled }: BundleOptions = {}) =>
  controller(Bundle, {
    name: "bundle",
    ...(again === undefined ? {} : { sources: { again } }),
    owns: [
      elsewhere(ConfigMap),
      Secret,
      ServiceAccount,
      Service,
      PersistentVolumeClaim,
      Pod,
      PodTemplate,
      ResourceQuota,
      LimitRange,
      Endpoints,
      Deployment,
      StatefulSet,
      DaemonSet,
      ReplicaSet,
      Job,
      CronJob,
      HorizontalPodAutoscaler,
      PodDisruptionBudget,
      NetworkPolicy,
      Ingress,
      Role,
      RoleBinding,
      Lease,
      EndpointSlice,
      ClusterRole,
      ClusterRoleBinding,
      PriorityClass,
      StorageClass,
      IngressClass,
      Namespace,
      PersistentVolume,
      ValidatingWebhookConfiguration,
      MutatingWebhookConfiguration,
    ],
    needs: [grantPolicyRules({ apiGroups: [""], resources: ["pods"], verbs: ["get"] })],
    reconcile({ object, want }) {
      const all = childrenOf(object.metadata.name, extra);
      reconciled?.();
      return want({ children: { all }, status: { children: all.length }, conditions: { Applied: { status: true, reason: "Applied" } } });
    },
  });
