/**
 * Streaming requests: logs, exec, attach, port-forward, proxy and metrics. In come requests of the API server, over WebSocket or SPDY; out
 * go calls of `NodeStreams` for nodes of this process, or forwarded requests to the kubelet's port for others. `startKubeletServer` serves
 * such a port, so that any API server can reach nodes of this process; metrics.k8s.io reads the usage of the same nodes.
 */

export { type KubeletServerOptions, startKubeletServer } from "./kubelet/kubelet-server.ts";
export {
  type MetricsApiServiceOptions,
  registerMetricsApiService,
} from "./metrics/api-service.ts";
export { addMetricsDocument } from "./metrics/metrics-openapi.ts";
export { createMetricsResources, type MetricsResourceOptions } from "./metrics/metrics-resources.ts";
export { createNodeRegistry, type NodeRegistry } from "./node-registry.ts";
export { createStreamSubresources, type StreamSubresourceOptions } from "./stream-subresources.ts";
