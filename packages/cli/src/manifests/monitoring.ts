import { metricsNames, serviceHosts } from "pintle/internal/webhook";
import type { JsonObject } from "pintle/kinds";
import { type ManifestContext, METRICS_PORT, managerSelector, objectMetadata } from "./context.ts";
import type { Manifest } from "./manifest.ts";

/** Returns the ServiceMonitor and the NetworkPolicies. They are always written; config/default includes what is configured. */
export function buildMonitoringManifests(context: ManifestContext): readonly Manifest[] {
  return [
    { folder: "prometheus", file: "monitor.yaml", object: serviceMonitor(context) },
    { folder: "network-policy", file: "allow_metrics_traffic.yaml", object: networkPolicy(context) },
    { folder: "network-policy", file: "allow_egress_traffic.yaml", object: egressPolicy(context) },
  ];
}

/** Verifies the certificate that the operator issues into its Secret. */
function serviceMonitor(context: ManifestContext): JsonObject {
  const { name, namespace } = context.project;
  const { service, secret } = metricsNames(name);
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: objectMetadata(context, "controller-manager-metrics-monitor", {
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
          tlsConfig: { ca: { secret: { name: secret, key: "ca.crt" } }, serverName: serviceHosts(service, namespace)[0] },
        },
      ],
      selector: { matchLabels: managerSelector(context) },
    },
  };
}

function networkPolicy(context: ManifestContext): JsonObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: objectMetadata(context, "allow-metrics-traffic", { namespaced: true }),
    spec: {
      podSelector: { matchLabels: managerSelector(context) },
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

/**
 * Ports of API servers: of the `kubernetes` Service, and behind it those of common distributions. Policies see the address behind a Service,
 * which is outside of the pod network, so it cannot be selected by labels.
 */
const API_SERVER_PORTS = [443, 6443, 8443, 16443];
const DNS_PORT = 53;

function egressPolicy(context: ManifestContext): JsonObject {
  const { networkPolicy } = context.project.config;
  const configured = typeof networkPolicy === "object" ? networkPolicy.egress : [];
  const tcp = (port: number) => ({ port, protocol: "TCP" });
  const egress =
    configured === "all"
      ? [{}]
      : [{ ports: API_SERVER_PORTS.map(tcp) }, { ports: [{ port: DNS_PORT, protocol: "UDP" }, tcp(DNS_PORT)] }, ...configured];
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: objectMetadata(context, "allow-egress-traffic", { namespaced: true }),
    spec: { podSelector: { matchLabels: managerSelector(context) }, policyTypes: ["Egress"], egress },
  };
}
