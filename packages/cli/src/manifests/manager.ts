import { metricsNames } from "pintle/internal/webhook";
import type { JsonObject } from "pintle/kinds";
import {
  HEALTH_PORT,
  type ManifestContext,
  METRICS_PORT,
  managerSelector,
  objectMetadata,
  resolveWatchedNamespaces,
  SERVICE_ACCOUNT,
} from "./context.ts";
import type { Manifest } from "./manifest.ts";
import {
  buildDisruptionBudgetManifests,
  buildEnvironmentSources,
  buildEnvironmentVariable,
  buildProbes,
  buildScheduling,
  buildVolumes,
} from "./pod-settings.ts";
import { buildWebhookPodSettings, certificateSecret } from "./webhooks.ts";

/** Node's heap needs more memory than the 128Mi that is common for Go operators. */
const DEFAULT_RESOURCES = { requests: { cpu: "50m", memory: "96Mi" }, limits: { memory: "192Mi" } };

/** Returns the Namespace, the metrics Service and the Deployment. */
export function buildManagerManifests(context: ManifestContext): readonly Manifest[] {
  return [
    { folder: "manager", file: "manager.yaml", object: namespace(context) },
    { folder: "manager", file: "metrics_service.yaml", object: metricsService(context) },
    { folder: "manager", file: "metrics_certificates.yaml", object: certificateSecret(context, metricsNames(context.project.name).secret) },
    { folder: "manager", file: "manager.yaml", object: deployment(context) },
    ...buildDisruptionBudgetManifests(context),
  ];
}

function namespace({ project }: ManifestContext): JsonObject {
  const labels = {
    "app.kubernetes.io/managed-by": "pintle",
    "app.kubernetes.io/name": project.name,
    "pod-security.kubernetes.io/enforce": "restricted",
  };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: project.namespace, labels } };
}

function metricsService(context: ManifestContext): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: objectMetadata(context, "controller-manager-metrics-service", {
      namespaced: true,
      labels: { "control-plane": "controller-manager" },
    }),
    spec: { ports: [{ name: "https", port: METRICS_PORT, protocol: "TCP", targetPort: "metrics" }], selector: managerSelector(context) },
  };
}

function deployment(context: ManifestContext): JsonObject {
  const { project } = context;
  const { replicas = 1, imagePullSecrets = [] } = project.config;
  const volumes = [...buildWebhookPodSettings(context).volumes, ...buildVolumes(context).volumes];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: objectMetadata(context, "controller-manager", { namespaced: true, labels: { "control-plane": "controller-manager" } }),
    spec: {
      replicas,
      selector: { matchLabels: managerSelector(context) },
      template: {
        metadata: { annotations: { "kubectl.kubernetes.io/default-container": "manager" }, labels: managerSelector(context) },
        spec: {
          serviceAccountName: objectMetadata(context, SERVICE_ACCOUNT).name,
          terminationGracePeriodSeconds: 35,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
          ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
          containers: [container(context)],
          ...buildScheduling(context),
          ...(volumes.length === 0 ? {} : { volumes }),
        },
      },
    },
  };
}

function container(context: ManifestContext): JsonObject {
  const { project } = context;
  const { resources = DEFAULT_RESOURCES } = project.config;
  const { args, ports, mounts: certificateMounts } = buildWebhookPodSettings(context);
  const mounts = [...certificateMounts, ...buildVolumes(context).mounts];
  const sources = buildEnvironmentSources(context);
  return {
    name: "manager",
    image: project.image,
    args: [
      "--leader-elect",
      `--health-probe-bind-address=:${HEALTH_PORT}`,
      `--metrics-bind-address=:${METRICS_PORT}`,
      "--metrics-secure",
      `--metrics-name=${project.name}`,
      ...args,
      ...(project.config.args ?? []),
    ],
    env: buildEnvironment(context),
    ...(sources.length === 0 ? {} : { envFrom: sources }),
    ports: [
      { name: "health", containerPort: HEALTH_PORT, protocol: "TCP" },
      { name: "metrics", containerPort: METRICS_PORT, protocol: "TCP" },
      ...ports,
    ],
    ...buildProbes(context),
    resources: resources as JsonObject,
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] }, readOnlyRootFilesystem: true },
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  };
}

function buildEnvironment(context: ManifestContext): readonly JsonObject[] {
  const { project } = context;
  const watched = resolveWatchedNamespaces(context);
  const limit = (project.config.resources ?? DEFAULT_RESOURCES).limits?.["memory"];
  const configured = project.config.env ?? {};
  const defaults: JsonObject[] = [
    { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
    ...(watched === "all" ? [] : [{ name: "WATCH_NAMESPACE", value: watched.join(",") }]),
    ...(limit === undefined ? [] : [{ name: "NODE_OPTIONS", value: `--max-old-space-size=${heapSizeMiB(limit)}` }]),
  ];
  return [
    ...defaults.filter(({ name }) => !(String(name) in configured)),
    ...Object.entries(configured).map(([name, value]) => buildEnvironmentVariable(name, value)),
  ];
}

/** Returns three quarters of the memory limit in MiB; the rest is for buffers, code and the worker thread that renews the lease. */
function heapSizeMiB(limit: string): number {
  const [, amount = "192", unit = "Mi"] = /^(\d+(?:\.\d+)?)([KMG]i?)?$/.exec(limit) ?? [];
  const mebi: Readonly<Record<string, number>> = { Ki: 1 / 1024, Mi: 1, Gi: 1024, K: 1000 / 2 ** 20, M: 1e6 / 2 ** 20, G: 1e9 / 2 ** 20 };
  return Math.floor(Number(amount) * (mebi[unit] ?? 1) * 0.75);
}
