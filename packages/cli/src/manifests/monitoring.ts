import type { JsonObject } from "pintle/kinds";
import { type Context, METRICS_PORT, metadata, selector } from "./context.ts";
import type { Manifest } from "./manifest.ts";

/** For the Prometheus operator, and for clusters that close their namespaces: written always, in config/default when asked for. */
export function monitoring(context: Context): readonly Manifest[] {
  return [
    { part: "prometheus", file: "monitor.yaml", object: serviceMonitor(context) },
    { part: "network-policy", file: "allow_metrics_traffic.yaml", object: networkPolicy(context) },
  ];
}

function serviceMonitor(context: Context): JsonObject {
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: metadata(context, "controller-manager-metrics-monitor", {
      namespaced: true,
      labels: { "control-plane": "controller-manager" },
    }),
    spec: {
      endpoints: [
        {
          bearerTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token",
          path: "/metrics",
          port: "https",
          scheme: "https",
          tlsConfig: { insecureSkipVerify: true },
        },
      ],
      selector: { matchLabels: selector(context) },
    },
  };
}

function networkPolicy(context: Context): JsonObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: metadata(context, "allow-metrics-traffic", { namespaced: true }),
    spec: {
      podSelector: { matchLabels: selector(context) },
      policyTypes: ["Ingress"],
      ingress: [
        {
          from: [{ namespaceSelector: { matchLabels: { metrics: "enabled" } } }],
          ports: [{ port: METRICS_PORT, protocol: "TCP" }],
        },
      ],
    },
  };
}
