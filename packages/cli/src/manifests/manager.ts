import type { JsonObject } from "pintle/kinds";
import { type Context, HEALTH_PORT, METRICS_PORT, metadata, SERVICE_ACCOUNT, selector } from "./context.ts";
import type { Manifest } from "./manifest.ts";
import { serving } from "./webhooks.ts";
import { workplaces } from "./workplaces.ts";

/** Node's own heap needs more than the 128Mi that Go operators are content with. */
const RESOURCES = { requests: { cpu: "50m", memory: "96Mi" }, limits: { memory: "192Mi" } };

/** The namespace, the Deployment, and the Service that metrics are scraped from. */
export function manager(context: Context): readonly Manifest[] {
  return [
    { part: "manager", file: "manager.yaml", object: namespace(context) },
    { part: "manager", file: "metrics_service.yaml", object: metricsService(context) },
    { part: "manager", file: "manager.yaml", object: deployment(context) },
  ];
}

function namespace({ project }: Context): JsonObject {
  const labels = {
    "app.kubernetes.io/managed-by": "pintle",
    "app.kubernetes.io/name": project.name,
    "pod-security.kubernetes.io/enforce": "restricted",
  };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: project.namespace, labels } };
}

function metricsService(context: Context): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata(context, "controller-manager-metrics-service", {
      namespaced: true,
      labels: { "control-plane": "controller-manager" },
    }),
    spec: { ports: [{ name: "https", port: METRICS_PORT, protocol: "TCP", targetPort: "metrics" }], selector: selector(context) },
  };
}

function deployment(context: Context): JsonObject {
  const { project } = context;
  const { replicas = 1, imagePullSecrets = [] } = project.config;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadata(context, "controller-manager", { namespaced: true, labels: { "control-plane": "controller-manager" } }),
    spec: {
      replicas,
      selector: { matchLabels: selector(context) },
      template: {
        metadata: { annotations: { "kubectl.kubernetes.io/default-container": "manager" }, labels: selector(context) },
        spec: {
          serviceAccountName: metadata(context, SERVICE_ACCOUNT).name,
          terminationGracePeriodSeconds: 35,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
          ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
          containers: [container(context)],
          ...(serving(context).volumes.length === 0 ? {} : { volumes: serving(context).volumes }),
        },
      },
    },
  };
}

function container(context: Context): JsonObject {
  const { project } = context;
  const { resources = RESOURCES } = project.config;
  const { args, ports, mounts } = serving(context);
  return {
    name: "manager",
    image: project.image,
    args: [
      "--leader-elect",
      `--health-probe-bind-address=:${HEALTH_PORT}`,
      `--metrics-bind-address=:${METRICS_PORT}`,
      "--metrics-secure",
      ...args,
    ],
    env: environment(context),
    ports: [
      { name: "health", containerPort: HEALTH_PORT, protocol: "TCP" },
      { name: "metrics", containerPort: METRICS_PORT, protocol: "TCP" },
      ...ports,
    ],
    livenessProbe: { httpGet: { path: "/healthz", port: "health" }, initialDelaySeconds: 15, periodSeconds: 20 },
    readinessProbe: { httpGet: { path: "/readyz", port: "health" }, initialDelaySeconds: 2, periodSeconds: 10 },
    resources: resources as JsonObject,
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] }, readOnlyRootFilesystem: true },
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  };
}

function environment(context: Context): readonly JsonObject[] {
  const { project } = context;
  const places = workplaces(context);
  const limit = (project.config.resources ?? RESOURCES).limits?.["memory"];
  const said = project.config.env ?? {};
  const own: JsonObject[] = [
    { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
    ...(places === "all" ? [] : [{ name: "WATCH_NAMESPACE", value: places.join(",") }]),
    ...(limit === undefined ? [] : [{ name: "NODE_OPTIONS", value: `--max-old-space-size=${heapFor(limit)}` }]),
  ];
  return [...own.filter(({ name }) => !(String(name) in said)), ...Object.entries(said).map(([name, value]) => ({ name, value }))];
}

/** Three quarters of the limit, in MiB: the rest is for buffers, code and the thread that renews the lease. */
function heapFor(limit: string): number {
  const [, amount = "192", unit = "Mi"] = /^(\d+(?:\.\d+)?)([KMG]i?)?$/.exec(limit) ?? [];
  const mebi: Readonly<Record<string, number>> = { Ki: 1 / 1024, Mi: 1, Gi: 1024, K: 1000 / 2 ** 20, M: 1e6 / 2 ** 20, G: 1e9 / 2 ** 20 };
  return Math.floor(Number(amount) * (mebi[unit] ?? 1) * 0.75);
}
