import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { MutableJson } from "./mutate-value.ts";

type Manifest = { [key: string]: MutableJson };

const container: Manifest = {
  name: "manager",
  image: "example.com/op:1",
  env: [{ name: "WATCH_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.annotations['olm.targetNamespaces']" } } }],
  resources: { limits: { cpu: "0.5", memory: "128Mi" }, requests: { cpu: "10m" } },
  volumeMounts: [{ name: "certs", mountPath: "/tmp/k8s-webhook-server/serving-certs" }],
  ports: [{ containerPort: 9443, name: "webhook", protocol: "TCP" }],
  readinessProbe: { httpGet: { path: "/readyz", port: 8081 } },
};

const rule: Manifest = { apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["ops"] };
const webhook = (type: string, generateName: string): Manifest => ({
  type,
  generateName,
  deploymentName: "op-manager",
  containerPort: 443,
  targetPort: 9443,
  failurePolicy: "Fail",
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  rules: [rule],
  webhookPath: "/check",
});

/** A bundle with every feature that the renderer and the validators know. */
export const SAMPLE_BUNDLE: { [file: string]: Manifest } = {
  "metadata/annotations.yaml": {
    annotations: {
      "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
      "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
      "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
      "operators.operatorframework.io.bundle.package.v1": "op",
      "operators.operatorframework.io.bundle.channels.v1": "stable",
      "operators.operatorframework.io.bundle.channel.default.v1": "stable",
    },
  },
  "metadata/properties.yaml": { properties: [{ type: "olm.maxOpenShiftVersion", value: "4.20" }] },
  "manifests/csv.yaml": {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: "op.v1.0.0", namespace: "placeholder", annotations: { capabilities: "Basic Install", "a<b": "x&y" } },
    spec: {
      displayName: "Op",
      version: "1.0.0",
      installModes: ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"].map((type) => ({
        type,
        supported: type === "AllNamespaces",
      })),
      customresourcedefinitions: { owned: [{ name: "ops.example.com", kind: "Op", version: "v1" }] },
      install: {
        strategy: "deployment",
        spec: {
          permissions: [
            { serviceAccountName: "op", rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] }] },
            { serviceAccountName: "", rules: [{ apiGroups: ["<&>"], resources: ["pods"], verbs: ["*"], resourceNames: ["a"] }] },
          ],
          clusterPermissions: [
            { serviceAccountName: "op", rules: [{ apiGroups: ["example.com"], resources: ["ops", "ops/status"], verbs: ["*"] }] },
            { serviceAccountName: "other", rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }] },
          ],
          deployments: [
            {
              name: "op-manager",
              label: { app: "op" },
              spec: {
                replicas: 1,
                selector: { matchLabels: { app: "op" } },
                strategy: {},
                template: {
                  metadata: { labels: { app: "op" }, annotations: { capabilities: "pod" } },
                  spec: {
                    serviceAccountName: "op",
                    containers: [container, { name: "proxy", image: "example.com/proxy" }],
                    volumes: [{ name: "certs", emptyDir: {} }],
                    tolerations: [{ key: "a", operator: "Exists" }],
                    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] } } },
                  },
                },
              },
            },
            { name: "second", spec: { selector: null, template: { spec: { containers: [] } } } },
          ],
        },
      },
      webhookdefinitions: [
        webhook("ValidatingAdmissionWebhook", "check.example.com"),
        webhook("MutatingAdmissionWebhook", "default.example.com"),
        { ...webhook("ConversionWebhook", "convert.example.com"), conversionCRDs: ["ops.example.com"], webhookPath: "/convert" },
      ],
    },
  },
  "manifests/crd.yaml": {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "ops.example.com" },
    spec: {
      group: "example.com",
      names: { kind: "Op", listKind: "OpList", plural: "ops", singular: "op" },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              description: "An op.",
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  required: ["size"],
                  properties: {
                    size: { type: "integer", minimum: 1, maximum: 5, default: 3, format: "int32" },
                    mode: { type: "string", enum: ["a", "b"], pattern: "^[a-z]$", maxLength: 8 },
                    ports: { type: "array", items: { "x-kubernetes-int-or-string": true }, "x-kubernetes-list-type": "atomic" },
                    any: { type: "object", additionalProperties: true, "x-kubernetes-preserve-unknown-fields": true },
                  },
                },
              },
            },
          },
        },
      ],
    },
  },
  "manifests/service.yaml": {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "metrics" },
    spec: { ports: [{ name: "https", port: 8443 }], selector: { app: "op" } },
  },
  "manifests/role.yaml": {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "op-editor" },
    rules: [{ apiGroups: ["example.com"], resources: ["ops"], verbs: ["get"] }],
  },
};

/** Values that mean something somewhere in a bundle. */
export const BUNDLE_WORDS: readonly MutableJson[] = [
  ...["", "op", "other", "default", "op-manager", "second", "ops.example.com", "Op", "AllNamespaces", "OwnNamespace", "UPPER_case", "*"],
  ...[
    "ValidatingAdmissionWebhook",
    "MutatingAdmissionWebhook",
    "ConversionWebhook",
    "admissionregistration.k8s.io",
    "olm.operatorframework.io",
  ],
  ...["Role", "Pod", "NetworkPolicy", "webhook-cert", "1.0", "v2.1.0-rc.1", "1Gi", "mutatingwebhookconfigurations", `x${"y".repeat(70)}-`],
  ...[true, false, 0, 1, 443, 1.5, null],
  ...[[], {}, ["a"], { a: "b" }, { matchLabels: { a: "b" } }],
];

/** Writes a bundle to `folder`; a file is omitted where a change removed it. */
export function writeBundle(folder: string, files: { readonly [file: string]: unknown }): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), JSON.stringify(content));
  }
}
