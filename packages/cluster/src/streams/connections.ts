import type { Clock } from "pintle/queue";
import type { ConnectSubresource } from "../api/index.ts";
import type { Store } from "../store/index.ts";
import type { KeyPair } from "../tls/index.ts";
import { remoteKubelets } from "./kubelet/remote.ts";
import { podStreams } from "./pods/pod-streams.ts";
import { proxyPlace } from "./proxy/place.ts";
import { proxies } from "./proxy/proxies.ts";
import type { NodeRegistry } from "./registry.ts";

export interface StreamsOptions {
  readonly nodes: NodeRegistry;
  readonly store: Store;
  readonly clock: Clock;
  /** With what the server shows kubelets of other processes who it is; made when first needed. */
  readonly client: () => KeyPair;
}

type Streams = Readonly<Record<string, Pick<ConnectSubresource, "connect" | "nameOf">>>;

/** Where the streams of Pods, Services and Nodes lead, by kind and name. */
export function streamConnections({ nodes, store, clock, client }: StreamsOptions) {
  const kubelets = remoteKubelets(store, client);
  const proxy = proxies({ nodes, kubelets, store });
  const nameOf = (asked: string) => proxyPlace(asked).name;
  const ofPods = Object.entries(podStreams({ nodes, kubelets, clock })).map(([name, connect]) => [name, { connect }] as const);
  return {
    Pod: { streams: { ...Object.fromEntries(ofPods), proxy: { connect: proxy.pods, nameOf } } },
    Service: { streams: { proxy: { connect: proxy.services, nameOf } } },
    Node: { streams: { proxy: { connect: proxy.nodes, nameOf } } },
  } satisfies Readonly<Record<string, { readonly streams: Streams }>>;
}
