/**
 * Streams: from a request for a log, a command, a port or a page to the node that runs the pod, and back. In come requests of
 * the API server, over WebSocket or SPDY as each client speaks; out go calls of `NodeStreams`, where the node is one of this
 * process, or bytes passed on to a kubelet's port, where it is not. `kubeletServer` is such a port for nodes of ours, so that
 * any API server can ask them; metrics.k8s.io asks the same nodes what they use.
 */
export { type StreamsOptions, streamConnections } from "./connections.ts";
export { type KubeletOptions, kubeletServer } from "./kubelet/kubelet.ts";
export { type MetricsServiceOptions, metricsService } from "./metrics/api-service.ts";
export { type MetricsOptions, metricsResources } from "./metrics/metrics.ts";
export { withMetrics } from "./metrics/openapi.ts";
export { type NodeRegistry, nodeRegistry } from "./registry.ts";
