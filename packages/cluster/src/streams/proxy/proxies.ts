import type { JsonObject } from "pintle/kinds";
import type { Endpoints, Pod, Service } from "pintle/kinds/core/v1";
import type { ApiAnswer, ConnectRequest } from "../../api/index.ts";
import { ApiError, badRequest } from "../../status/index.ts";
import type { Store } from "../../store/index.ts";
import { kubeletAnswers } from "../kubelet/answers.ts";
import type { RemoteKubelets } from "../kubelet/remote.ts";
import type { NodeRegistry } from "../registry.ts";
import { type Origin, passed } from "./pass.ts";
import { type ProxyPlace, proxyPlace } from "./place.ts";

type Connect = (object: JsonObject, request: ConnectRequest) => Promise<ApiAnswer>;

export interface ProxyOptions {
  readonly nodes: NodeRegistry;
  readonly kubelets: RemoteKubelets;
  readonly store: Store;
}

/** The proxy subresource of pods, services and nodes. */
export function proxies({ nodes, kubelets, store }: ProxyOptions): Readonly<Record<"pods" | "services" | "nodes", Connect>> {
  /** The way to a port of a pod: through its node, where we know it, else over the network. */
  const podOrigin = async ({ metadata, spec, status }: Pod, scheme: ProxyPlace["scheme"], port: number): Promise<Origin> => {
    const streams = await nodes.find(spec.nodeName ?? "");
    const { namespace, name, uid } = metadata;
    const host = status.podIP ?? "";
    if (streams === undefined && host === "") throw badRequest("address not allowed");
    const tls = { rejectUnauthorized: false };
    return { scheme, host, port, tls, ...(streams && { connect: () => streams.connect({ namespace, pod: name, uid }, port) }) };
  };

  const toPod: Connect = async (object, request) => {
    const pod = object as unknown as Pod;
    const { scheme, port } = proxyPlace(request.name);
    const first = pod.spec.containers.flatMap(({ ports = [] }) => ports)[0]?.containerPort;
    return passedTo(await podOrigin(pod, scheme, port === "" ? (first ?? (scheme === "https" ? 443 : 80)) : Number(port)), request);
  };

  const toService: Connect = async (object, request) => {
    const service = object as unknown as Service;
    const { namespace, name } = service.metadata;
    const { scheme, port } = proxyPlace(request.name);
    const portName = servicePort(service, port);
    const endpoints = (await store.get(`/registry/services/endpoints/${namespace}/${name}`))?.value as unknown as Endpoints | undefined;
    for (const { addresses = [], ports = [] } of endpoints?.subsets ?? []) {
      const found = ports.find((each) => portName === undefined || (each.name ?? "") === portName);
      const [address] = addresses;
      if (found === undefined || address === undefined) continue;
      const target = address.targetRef?.kind === "Pod" ? address.targetRef : undefined;
      const pod =
        target &&
        ((await store.get(`/registry/pods/${target.namespace ?? namespace}/${target.name}`))?.value as unknown as Pod | undefined);
      const direct: Origin = { scheme, host: address.ip, port: found.port, tls: { rejectUnauthorized: false } };
      return passedTo(pod === undefined ? direct : await podOrigin(pod, scheme, found.port), request);
    }
    throw new ApiError(503, "ServiceUnavailable", `no endpoints available for service ${JSON.stringify(name)}`);
  };

  const toNode: Connect = async (_object, request) => {
    const { name } = proxyPlace(request.name);
    const streams = await nodes.find(name);
    if (streams !== undefined) return kubeletAnswers(streams)({ ...request, path: request.rest === "" ? "/" : request.rest });
    return passedTo(await kubelets.originOf(name), request);
  };
  return { pods: toPod, services: toService, nodes: toNode };
}

/** The name of the port that is meant; undefined: any. */
function servicePort({ metadata, spec }: Service, asked: string): string | undefined {
  if (asked === "") return undefined;
  if (!/^\d+$/.test(asked)) return asked;
  const found = spec.ports?.find(({ port }) => port === Number(asked));
  if (found !== undefined) return found.name ?? "";
  throw new ApiError(503, "ServiceUnavailable", `no service port ${asked} found for service ${JSON.stringify(metadata.name)}`);
}

async function passedTo(origin: Origin, request: ConnectRequest): Promise<ApiAnswer> {
  const search = searchOf(request);
  // A page's own links lead nowhere unless its address ends like a folder's.
  if (request.rest === "" && (request.method === "GET" || request.method === "HEAD")) {
    return { status: 301, headers: { location: `${request.path}/${search}` }, body: { type: "none" } };
  }
  return passed(origin, { ...request, path: request.rest, search });
}

function searchOf({ query }: ConnectRequest): string {
  const text = new URLSearchParams([...query].flatMap(([name, values]) => values.map((value): [string, string] => [name, value])));
  return text.size === 0 ? "" : `?${text}`;
}
