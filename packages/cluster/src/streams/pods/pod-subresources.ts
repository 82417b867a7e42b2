import type { Clock } from "pintle/internal/clock";
import type { JsonObject } from "pintle/kinds";
import type { Pod } from "pintle/kinds/core/v1";
import { type ApiResponse, type ConnectRequest, getQueryParameter, type QueryParameters } from "../../api/index.ts";
import type { ContainerRef, ContainerSessionOptions } from "../../node/index.ts";
import { badRequest } from "../../status/index.ts";
import type { RemoteKubelets } from "../kubelet/remote-kubelets.ts";
import type { NodeRegistry } from "../node-registry.ts";
import { handlePortForward } from "../port-forward/port-forward.ts";
import { parseQueryFlag } from "../query-flag.ts";
import { handleRemoteCommand } from "../remote-command/remote-command.ts";
import { waitForFirstChunk } from "./first-chunk.ts";
import { parseLogOptions, requireLogAvailable } from "./log-request.ts";

type ConnectHandler = (object: JsonObject, request: ConnectRequest) => Promise<ApiResponse>;

export interface PodSubresourceOptions {
  readonly nodes: NodeRegistry;
  /** Kubelets of other processes. */
  readonly kubelets: RemoteKubelets;
  readonly clock: Clock;
}

/** The response for a pod without a node. */
const NO_CONTENT: ApiResponse = { status: 204, headers: {}, body: { type: "none" } };

/** Creates the handlers of log, exec, attach and portforward, which validate the request and pass it to the pod's node. */
export function createPodSubresources({ nodes, kubelets, clock }: PodSubresourceOptions): Readonly<Record<string, ConnectHandler>> {
  const log: ConnectHandler = async (object, request) => {
    const pod = object as unknown as Pod;
    const options = parseLogOptions(pod.metadata.name, request.query, clock.now());
    const container = resolveContainer(pod, request.query);
    const { nodeName = "" } = pod.spec;
    if (nodeName === "") return NO_CONTENT;
    const streams = await nodes.find(nodeName);
    if (streams === undefined) return kubelets.forward(nodeName, `/containerLogs/${getPodPath(pod)}/${container}`, request.query, request);
    requireLogAvailable(pod, container, options.previous);
    const chunks = await waitForFirstChunk(streams.logs(getContainerRef(pod, container), options, request.signal()));
    return { status: 200, headers: { "content-type": "text/plain" }, body: { type: "stream", chunks } };
  };

  const createSessionHandler =
    (operation: "exec" | "attach"): ConnectHandler =>
    async (object, request) => {
      const pod = object as unknown as Pod;
      const container = resolveContainer(pod, request.query);
      const node = getNodeName(pod);
      const streams = await nodes.find(node);
      // As in kube-apiserver, both outputs are always requested.
      const tty = parseQueryFlag(request.query, "tty");
      const options: ContainerSessionOptions = { stdin: parseQueryFlag(request.query, "stdin"), stdout: true, stderr: !tty, tty };
      const command = request.query.get("command") ?? [];
      if (streams === undefined) {
        return kubelets.forward(node, `/${operation}/${getPodPath(pod)}/${container}`, buildKubeletQuery(options, command), request);
      }
      const target = getContainerRef(pod, container);
      if (operation === "attach") return handleRemoteCommand(request, options, "attaching to", () => streams.attach(target, options));
      return handleRemoteCommand(request, options, "executing command in", () => streams.exec(target, command, options));
    };

  const portforward: ConnectHandler = async (object, request) => {
    const pod = object as unknown as Pod;
    const node = getNodeName(pod);
    const streams = await nodes.find(node);
    const ports = request.query.get("ports") ?? [];
    if (streams === undefined) {
      return kubelets.forward(
        node,
        `/portForward/${getPodPath(pod)}`,
        new Map(ports.length === 0 ? [] : [["port", [ports.join()]]]),
        request,
      );
    }
    const { namespace, name, uid } = pod.metadata;
    return handlePortForward(request, ports, { pod: name, uid }, (port) => streams.connect({ namespace, pod: name, uid }, port));
  };
  return { log, exec: createSessionHandler("exec"), attach: createSessionHandler("attach"), portforward };
}

/** Converts session options to the query parameters of a kubelet. */
function buildKubeletQuery({ stdin, stdout, stderr, tty }: ContainerSessionOptions, command: readonly string[]): QueryParameters {
  const requested = Object.entries({ input: stdin, output: stdout, error: stderr, tty }).filter(([, on]) => on);
  return new Map([["command", command], ...requested.map(([name]): [string, readonly string[]] => [name, ["1"]])]);
}

const getPodPath = ({ metadata }: Pod) => `${metadata.namespace}/${metadata.name}`;

function getContainerRef({ metadata }: Pod, container: string): ContainerRef {
  return { namespace: metadata.namespace, pod: metadata.name, uid: metadata.uid, container };
}

function getNodeName({ metadata, spec }: Pod): string {
  if (!spec.nodeName) throw badRequest(`pod ${metadata.name} does not have a host assigned`);
  return spec.nodeName;
}

/** Returns the requested container, which must exist; a pod with a single container needs no name. */
export function resolveContainer({ metadata, spec }: Pod, query: QueryParameters): string {
  const requested = getQueryParameter(query, "container");
  const names = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])].map(({ name }) => name);
  if (requested !== "") {
    if (!names.includes(requested)) throw badRequest(`container ${requested} is not valid for pod ${metadata.name}`);
    return requested;
  }
  const [first, ...others] = spec.containers;
  if (first !== undefined && others.length === 0) return first.name;
  throw badRequest(`a container name must be specified for pod ${metadata.name}, choose one of: [${names.join(" ")}]`);
}
