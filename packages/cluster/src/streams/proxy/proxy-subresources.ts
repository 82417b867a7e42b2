import type { JsonObject } from "pintle/kinds";
import type { EndpointAddress, Endpoints, Pod, Service } from "pintle/kinds/core/v1";
import type { ApiResponse, ConnectRequest } from "../../api/index.ts";
import { ApiError } from "../../status/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import { createKubeletHandler } from "../kubelet/kubelet-handler.ts";
import type { RemoteKubelets } from "../kubelet/remote-kubelets.ts";
import type { NodeRegistry } from "../node-registry.ts";
import { forwardRequest, type ProxyOrigin } from "./forward-request.ts";
import { type ProxyTarget, parseProxyTarget } from "./proxy-target.ts";
import { addressNotAllowed, isProxyableAddress } from "./proxyable-address.ts";

type ConnectHandler = (object: JsonObject, request: ConnectRequest) => Promise<ApiResponse>;

export interface ProxySubresourceOptions {
  readonly nodes: NodeRegistry;
  readonly kubelets: RemoteKubelets;
  readonly store: ObjectStore;
  /** Whether the pods of nodes of this process have loopback addresses. */
  readonly hasLoopbackPods: boolean;
}

/** Creates the handlers of the proxy subresource of pods, services and nodes. */
export function createProxySubresources({
  nodes,
  kubelets,
  store,
  hasLoopbackPods,
}: ProxySubresourceOptions): Readonly<Record<"pods" | "services" | "nodes", ConnectHandler>> {
  /** Returns the origin for a port of a pod: through its node if it is one of this process, otherwise over the network. */
  const getPodOrigin = async ({ metadata, spec, status }: Pod, scheme: ProxyTarget["scheme"], port: number): Promise<ProxyOrigin> => {
    const streams = await nodes.find(spec.nodeName ?? "");
    const { namespace, name, uid } = metadata;
    const host = status.podIP ?? "";
    // A node of this process connects to its own pod, whatever the status says.
    if (!isProxyableAddress(host) && !(streams !== undefined && hasLoopbackPods)) throw addressNotAllowed();
    const tls = { rejectUnauthorized: false };
    return { scheme, host, port, tls, ...(streams && { connect: () => streams.connect({ namespace, pod: name, uid }, port) }) };
  };

  /** Finds the pod of an endpoint. As in kube-apiserver, an endpoint that is no pod of the namespace with this address is skipped. */
  const findEndpointPod = async ({ ip, targetRef }: EndpointAddress, namespace: string): Promise<Pod | undefined> => {
    if (targetRef?.name === undefined || targetRef.namespace !== namespace) return undefined;
    const pod = (await store.get(`/registry/pods/${namespace}/${targetRef.name}`))?.value as unknown as Pod | undefined;
    return pod?.status.podIPs?.some((each) => each.ip === ip) === true ? pod : undefined;
  };

  const proxyToPod: ConnectHandler = async (object, request) => {
    const pod = object as unknown as Pod;
    const { scheme, port } = parseProxyTarget(request.name);
    const first = pod.spec.containers.flatMap(({ ports = [] }) => ports)[0]?.containerPort;
    return forwardTo(await getPodOrigin(pod, scheme, port === "" ? (first ?? (scheme === "https" ? 443 : 80)) : Number(port)), request);
  };

  const proxyToService: ConnectHandler = async (object, request) => {
    const service = object as unknown as Service;
    const { namespace, name } = service.metadata;
    const { scheme, port } = parseProxyTarget(request.name);
    const portName = resolveServicePort(service, port);
    const endpoints = (await store.get(`/registry/services/endpoints/${namespace}/${name}`))?.value as unknown as Endpoints | undefined;
    for (const { addresses = [], ports = [] } of endpoints?.subsets ?? []) {
      const servicePort = ports.find((each) => portName === undefined || (each.name ?? "") === portName);
      if (servicePort === undefined) continue;
      for (const address of addresses) {
        const pod = await findEndpointPod(address, namespace);
        if (pod !== undefined) return forwardTo(await getPodOrigin(pod, scheme, servicePort.port), request);
      }
    }
    throw new ApiError(503, "ServiceUnavailable", `no endpoints available for service ${JSON.stringify(name)}`);
  };

  const proxyToNode: ConnectHandler = async (_object, request) => {
    const { name } = parseProxyTarget(request.name);
    const streams = await nodes.find(name);
    if (streams !== undefined) return createKubeletHandler(streams)({ ...request, path: request.subpath === "" ? "/" : request.subpath });
    return forwardTo(await kubelets.getOrigin(name), request);
  };
  return { pods: proxyToPod, services: proxyToService, nodes: proxyToNode };
}

/** Returns the name of the requested port; undefined for any. */
function resolveServicePort({ metadata, spec }: Service, requested: string): string | undefined {
  if (requested === "") return undefined;
  if (!/^\d+$/.test(requested)) return requested;
  const servicePort = spec.ports?.find(({ port }) => port === Number(requested));
  if (servicePort !== undefined) return servicePort.name ?? "";
  throw new ApiError(503, "ServiceUnavailable", `no service port ${requested} found for service ${JSON.stringify(metadata.name)}`);
}

async function forwardTo(origin: ProxyOrigin, request: ConnectRequest): Promise<ApiResponse> {
  const search = formatQuery(request);
  // Relative links of a page only work if its path ends with a slash.
  if (request.subpath === "" && (request.method === "GET" || request.method === "HEAD")) {
    return { status: 301, headers: { location: `${request.path}/${search}` }, body: { type: "none" } };
  }
  return forwardRequest(origin, { ...request, path: request.subpath, search });
}

function formatQuery({ query }: ConnectRequest): string {
  const text = new URLSearchParams([...query].flatMap(([name, values]) => values.map((value): [string, string] => [name, value])));
  return text.size === 0 ? "" : `?${text}`;
}
