import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubeletServer, type NodeStreams, startCluster } from "@pintle/cluster";
import { locate, transportTo } from "pintle/client";
import { authority } from "pintle/tls";
import { settle } from "../../packages/cluster/test/streams/world.ts";
import { startControlPlane } from "../real/index.ts";
import { layout } from "../real/layout.ts";

export interface Server extends AsyncDisposable {
  readonly kubeconfig: string;
}

/** A server on which the pods of a node run, whose streams are these. */
export type Start = (streams: NodeStreams) => Promise<Server>;

/** Of the name that a cluster signs by. */
const kubelets = authority("kubernetes", Date.now());

/** The port of a kubelet, for whom this authority vouches. */
function openKubelet(streams: NodeStreams, clientAuthority: string) {
  const keys = kubelets.server({ commonName: "machine" }, ["127.0.0.1"]);
  return kubeletServer({ streams, node: "machine", keys, clientAuthority });
}

/** The real kube-apiserver, to which our node is a kubelet like any other. */
export const real: Start = async (streams) => {
  // Nothing here needs a controller: without these plugins a pod can be made by hand.
  const plane = await startControlPlane({ disableAdmissionPlugins: ["ServiceAccount", "TaintNodesByCondition"] });
  const kubelet = await openKubelet(streams, await readFile(layout(plane.dir).authority.certificate, "utf8"));
  const transport = await transportTo(await locate({ kubeconfig: plane.kubeconfig }));
  await settle(transport, kubelet);
  await transport.close();
  return {
    kubeconfig: plane.kubeconfig,
    async [Symbol.asyncDispose]() {
      await plane.stop();
      await kubelet.close();
    },
  };
};

/** Our API server, to which the node is one of its process, or a kubelet's port. */
const embedded =
  (near: boolean): Start =>
  async (streams) => {
    const folder = await mkdtemp(join(tmpdir(), "pintle-streams-"));
    const kubelet = near ? undefined : await openKubelet(streams, kubelets.certificate);
    const cluster = await startCluster({ http: true, without: true, authority: { certificate: kubelets.certificate, key: kubelets.key } });
    if (near) cluster.nodeStreams.register("machine", streams);
    await settle(cluster.transport, kubelet);
    const kubeconfig = join(folder, "kubeconfig");
    await cluster.writeKubeconfig(kubeconfig);
    return {
      kubeconfig,
      async [Symbol.asyncDispose]() {
        await cluster.stop();
        await kubelet?.close();
        await rm(folder, { recursive: true });
      },
    };
  };
export const near = embedded(true);
export const far = embedded(false);
