import type { JsonObject } from "pintle/internal/json";
import { buildManagerPrerequisites, SYSTEM_NAMESPACE } from "../manager/index.ts";

/** Settings of the manager in a cluster. */
export interface SetupOptions {
  readonly image: string;
  /** The version of Pintle, as a label. */
  readonly version: string;
  /** Default: 1. With more, one leads and the others wait. */
  readonly replicas?: number | undefined;
  /** Such as "DeploymentConfig=true". Default: those of upstream. */
  readonly featureGates?: readonly string[] | undefined;
  /** Registries that are reached over plain HTTP. Default: those on the loopback interface. */
  readonly insecureRegistries?: readonly string[] | undefined;
  /** A Secret of the namespace with `tls.crt` and `tls.key`. Default: the manager issues its certificates. */
  readonly certificateSecret?: string | undefined;
  /** Secrets of the namespace with logins for the registries of catalogs and bundles, and of the manager's own image. Default: none. */
  readonly pullSecrets?: readonly string[] | undefined;
}

/** The name of the Deployment and of what belongs to it alone. */
export const MANAGER_NAME = "pintle-lifecycle-manager";
export const SETUP_FIELD_MANAGER = "pintle-operator-setup";
/** Labels of every object, by which those that a later version does not need any more are found. */
export const SETUP_LABELS: Readonly<Record<string, string>> = { "app.kubernetes.io/managed-by": SETUP_FIELD_MANAGER };

const SERVICE = "catalogd-service";
/** Upstream's Service of catalogs has this selector: it leads to whichever of both managers runs. */
const SERVICE_SELECTOR = { "app.kubernetes.io/name": "catalogd" };
const POD_LABELS = { ...SERVICE_SELECTOR, "control-plane": MANAGER_NAME };
const PORTS = { catalogs: 8443, webhook: 9443, health: 8081 };
const POD_SECURITY = ["audit", "enforce", "warn"].flatMap((mode) => [
  [`pod-security.kubernetes.io/${mode}`, "restricted"],
  [`pod-security.kubernetes.io/${mode}-version`, "latest"],
]);

/** Builds all objects, in the order in which they are applied. */
export function buildSetupObjects(options: SetupOptions): readonly JsonObject[] {
  const namespaced = { namespace: SYSTEM_NAMESPACE };
  return [
    ...buildManagerPrerequisites().map((object) => (object["kind"] === "Namespace" ? addPodSecurity(object) : object)),
    {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: MANAGER_NAME, ...namespaced },
      ...(options.pullSecrets === undefined ? {} : { imagePullSecrets: options.pullSecrets.map((name) => ({ name })) }),
    },
    buildRoleBinding(),
    buildNetworkPolicy(),
    buildService(),
    buildDeployment(options),
    buildWebhookConfiguration(),
  ].map((object) => addLabels(object, options.version));
}

function addLabels(object: JsonObject, version: string): JsonObject {
  const { labels = {}, ...metadata } = object["metadata"] as { readonly labels?: object };
  const own = object["kind"] === "Deployment" ? { "app.kubernetes.io/version": version } : {};
  return { ...object, metadata: { ...metadata, labels: { ...labels, ...SETUP_LABELS, ...own } } };
}

function addPodSecurity(object: JsonObject): JsonObject {
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), labels: Object.fromEntries(POD_SECURITY) } };
}

/** Extensions install whatever their bundles have, so that the manager needs every right, as upstream's does. */
function buildRoleBinding(): JsonObject {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: MANAGER_NAME },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: MANAGER_NAME, namespace: SYSTEM_NAMESPACE }],
  };
}

function buildNetworkPolicy(): JsonObject {
  const ports = [PORTS.catalogs, PORTS.webhook].map((port) => ({ port, protocol: "TCP" }));
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: MANAGER_NAME, namespace: SYSTEM_NAMESPACE },
    spec: {
      podSelector: { matchLabels: { "control-plane": MANAGER_NAME } },
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ ports }],
      egress: [{}],
    },
  };
}

function buildService(): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: SERVICE, namespace: SYSTEM_NAMESPACE },
    spec: {
      selector: SERVICE_SELECTOR,
      ports: [
        { name: "https", port: 443, protocol: "TCP", targetPort: PORTS.catalogs },
        { name: "webhook", port: PORTS.webhook, protocol: "TCP", targetPort: PORTS.webhook },
      ],
    },
  };
}

function buildWebhookConfiguration(): JsonObject {
  const missing =
    "'name' in object.metadata && (!has(object.metadata.labels) || !('olm.operatorframework.io/metadata.name' in object.metadata.labels) || object.metadata.labels['olm.operatorframework.io/metadata.name'] != object.metadata.name)";
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "catalogd-mutating-webhook-configuration" },
    webhooks: [
      {
        name: "inject-metadata-name.olm.operatorframework.io",
        admissionReviewVersions: ["v1"],
        clientConfig: {
          service: {
            name: SERVICE,
            namespace: SYSTEM_NAMESPACE,
            path: "/mutate-olm-operatorframework-io-v1-clustercatalog",
            port: PORTS.webhook,
          },
        },
        failurePolicy: "Fail",
        matchConditions: [{ name: "MissingOrIncorrectMetadataNameLabel", expression: missing }],
        rules: [
          {
            apiGroups: ["olm.operatorframework.io"],
            apiVersions: ["v1"],
            operations: ["CREATE", "UPDATE"],
            resources: ["clustercatalogs"],
          },
        ],
        sideEffects: "None",
        timeoutSeconds: 10,
      },
    ],
  };
}

function buildDeployment({ image, replicas = 1, certificateSecret, ...settings }: SetupOptions): JsonObject {
  const { featureGates = [], insecureRegistries = [] } = settings;
  const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  const volumes: readonly JsonObject[] = [
    { name: "cache", emptyDir: {} },
    { name: "tmp", emptyDir: {} },
    ...(certificateSecret === undefined ? [] : [{ name: "certificate", secret: { secretName: certificateSecret } }]),
  ];
  const container = {
    name: "manager",
    image,
    imagePullPolicy: "IfNotPresent",
    args: [
      "--leader-elect",
      ...(certificateSecret === undefined ? ["--issue-certificates"] : ["--tls-cert=/var/certs/tls.crt", "--tls-key=/var/certs/tls.key"]),
      ...featureGates.map((gate) => `--feature-gates=${gate}`),
      ...insecureRegistries.map((registry) => `--insecure-registry=${registry}`),
    ],
    env: [
      field("POD_NAME", "metadata.name"),
      field("POD_UID", "metadata.uid"),
      field("POD_NAMESPACE", "metadata.namespace"),
      field("POD_SERVICE_ACCOUNT", "spec.serviceAccountName"),
    ],
    ports: Object.entries(PORTS).map(([name, containerPort]) => ({ name, containerPort, protocol: "TCP" })),
    livenessProbe: { httpGet: { path: "/healthz", port: PORTS.health }, initialDelaySeconds: 15, periodSeconds: 20 },
    readinessProbe: { httpGet: { path: "/readyz", port: PORTS.health }, periodSeconds: 5 },
    resources: { requests: { cpu: "100m", memory: "160Mi" } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] }, readOnlyRootFilesystem: true },
    terminationMessagePolicy: "FallbackToLogsOnError",
    volumeMounts: [
      { name: "cache", mountPath: "/var/cache" },
      { name: "tmp", mountPath: "/tmp" },
      ...(certificateSecret === undefined ? [] : [{ name: "certificate", mountPath: "/var/certs", readOnly: true }]),
    ],
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: MANAGER_NAME, namespace: SYSTEM_NAMESPACE },
    spec: {
      replicas,
      // A process that stops gives its leases back: the next one leads as soon as it starts. Beside it, the next one would try again only after seconds.
      strategy: replicas === 1 ? { type: "Recreate" } : { type: "RollingUpdate" },
      selector: { matchLabels: { "control-plane": MANAGER_NAME } },
      template: {
        metadata: { annotations: { "kubectl.kubernetes.io/default-container": "manager" }, labels: POD_LABELS },
        spec: {
          serviceAccountName: MANAGER_NAME,
          terminationGracePeriodSeconds: 20,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
          containers: [container],
          volumes,
        },
      },
    },
  };
}
