import type { JsonObject } from "pintle/kinds";
import type { Pod } from "pintle/kinds/core/v1";
import type { Clock } from "pintle/queue";
import type { ApiAnswer, ConnectRequest, Query } from "../../api/index.ts";
import type { ContainerRef, SessionOptions } from "../../node/index.ts";
import { badRequest } from "../../status/index.ts";
import { flag } from "../flag.ts";
import type { RemoteKubelets } from "../kubelet/remote.ts";
import { portForward } from "../port-forward/port-forward.ts";
import type { NodeRegistry } from "../registry.ts";
import { remoteCommand } from "../remote-command/remote-command.ts";
import { begun } from "./begun.ts";
import { containerOf } from "./container.ts";
import { logOptions } from "./log-options.ts";
import { checkLogged } from "./logged-run.ts";

type Connect = (object: JsonObject, request: ConnectRequest) => Promise<ApiAnswer>;

export interface PodStreamsOptions {
  readonly nodes: NodeRegistry;
  /** Of other processes. */
  readonly kubelets: RemoteKubelets;
  readonly clock: Clock;
}

/** Of a pod that is nowhere yet. */
const NOTHING: ApiAnswer = { status: 204, headers: {}, body: { type: "none" } };

/** log, exec, attach and portforward of pods: what is asked is checked here, and the pod's node does it. */
export function podStreams({ nodes, kubelets, clock }: PodStreamsOptions): Readonly<Record<string, Connect>> {
  const log: Connect = async (object, request) => {
    const pod = object as unknown as Pod;
    const options = logOptions(pod.metadata.name, request.query, clock.now());
    const container = containerOf(pod, request.query);
    const { nodeName = "" } = pod.spec;
    if (nodeName === "") return NOTHING;
    const streams = await nodes.find(nodeName);
    if (streams === undefined) return kubelets.answer(nodeName, `/containerLogs/${place(pod)}/${container}`, request.query, request);
    checkLogged(pod, container, options.previous);
    const chunks = await begun(streams.logs(targetOf(pod, container), options, request.signal()));
    return { status: 200, headers: { "content-type": "text/plain" }, body: { type: "stream", chunks } };
  };

  const session =
    (what: "exec" | "attach"): Connect =>
    async (object, request) => {
      const pod = object as unknown as Pod;
      const container = containerOf(pod, request.query);
      const node = nodeOf(pod);
      const streams = await nodes.find(node);
      // Both outputs are wanted, whatever the client says: so it is with any server.
      const tty = flag(request.query, "tty");
      const options: SessionOptions = { stdin: flag(request.query, "stdin"), stdout: true, stderr: !tty, tty };
      const command = request.query.get("command") ?? [];
      if (streams === undefined) {
        return kubelets.answer(node, `/${what}/${place(pod)}/${container}`, kubeletQuery(options, command), request);
      }
      const target = targetOf(pod, container);
      if (what === "attach") return remoteCommand(request, options, "attaching to", () => streams.attach(target, options));
      return remoteCommand(request, options, "executing command in", () => streams.exec(target, command, options));
    };

  const portforward: Connect = async (object, request) => {
    const pod = object as unknown as Pod;
    const node = nodeOf(pod);
    const streams = await nodes.find(node);
    const ports = request.query.get("ports") ?? [];
    if (streams === undefined) {
      return kubelets.answer(node, `/portForward/${place(pod)}`, new Map(ports.length === 0 ? [] : [["port", [ports.join()]]]), request);
    }
    const { namespace, name, uid } = pod.metadata;
    return portForward(request, ports, { pod: name, uid }, (port) => streams.connect({ namespace, pod: name, uid }, port));
  };
  return { log, exec: session("exec"), attach: session("attach"), portforward };
}

/** A session's parameters in the words of a kubelet. */
function kubeletQuery({ stdin, stdout, stderr, tty }: SessionOptions, command: readonly string[]): Query {
  const wanted = Object.entries({ input: stdin, output: stdout, error: stderr, tty }).filter(([, on]) => on);
  return new Map([["command", command], ...wanted.map(([name]): [string, readonly string[]] => [name, ["1"]])]);
}

const place = ({ metadata }: Pod) => `${metadata.namespace}/${metadata.name}`;

function targetOf({ metadata }: Pod, container: string): ContainerRef {
  return { namespace: metadata.namespace, pod: metadata.name, uid: metadata.uid, container };
}

function nodeOf({ metadata, spec }: Pod): string {
  if (!spec.nodeName) throw badRequest(`pod ${metadata.name} does not have a host assigned`);
  return spec.nodeName;
}
