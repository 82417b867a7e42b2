import type { Clock } from "pintle/internal/clock";
import type { ConnectSubresource } from "../api/index.ts";
import { createRemoteKubelets, type RemoteKubeletOptions } from "./kubelet/remote-kubelets.ts";
import type { NodeRegistry } from "./node-registry.ts";
import { createPodSubresources } from "./pods/pod-subresources.ts";
import { createProxySubresources } from "./proxy/proxy-subresources.ts";
import { parseProxyTarget } from "./proxy/proxy-target.ts";

export interface StreamSubresourceOptions extends RemoteKubeletOptions {
  readonly nodes: NodeRegistry;
  readonly clock: Clock;
  /** Whether the pods of nodes of this process have loopback addresses. */
  readonly hasLoopbackPods: boolean;
}

type ConnectSubresources = Readonly<Record<string, Pick<ConnectSubresource, "connect" | "parseObjectName">>>;

/** Creates the connect subresources of Pods, Services and Nodes, by kind and name. */
export function createStreamSubresources(options: StreamSubresourceOptions) {
  const { nodes, store, clock, hasLoopbackPods } = options;
  const kubelets = createRemoteKubelets(options);
  const proxy = createProxySubresources({ nodes, kubelets, store, hasLoopbackPods });
  const parseObjectName = (target: string) => parseProxyTarget(target).name;
  const podHandlers = Object.entries(createPodSubresources({ nodes, kubelets, clock })).map(
    ([name, connect]) => [name, { connect }] as const,
  );
  return {
    Pod: { connectHandlers: { ...Object.fromEntries(podHandlers), proxy: { connect: proxy.pods, parseObjectName } } },
    Service: { connectHandlers: { proxy: { connect: proxy.services, parseObjectName } } },
    Node: { connectHandlers: { proxy: { connect: proxy.nodes, parseObjectName } } },
  } satisfies Readonly<Record<string, { readonly connectHandlers: ConnectSubresources }>>;
}
