import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NodeStreams, startCluster, startKubeletServer } from "@pintle/cluster";
import { createTransport, loadClusterAccess } from "pintle/client";
import { createCertificateAuthority } from "pintle/tls";
import { createStreamFixtures } from "../../packages/cluster/test/streams/stream-fixtures.ts";
import { startControlPlane } from "../real/index.ts";
import { createLayout } from "../real/programs/layout.ts";

export interface StreamsServer extends AsyncDisposable {
  readonly kubeconfig: string;
}

/** Starts a server with one node, whose pods have these streams. */
export type StartServer = (streams: NodeStreams) => Promise<StreamsServer>;

/** The common name of the certificate that a cluster signs with. */
const kubelets = createCertificateAuthority("kubernetes", Date.now());

/** Opens a kubelet port with a certificate of this authority. */
function openKubelet(streams: NodeStreams, clientCa: string) {
  const keys = kubelets.issueServerCertificate({ commonName: "machine" }, ["127.0.0.1"]);
  return startKubeletServer({ streams, node: "machine", keys, clientCa });
}

/** The real kube-apiserver, to which our node is an ordinary kubelet. */
export const startReal: StartServer = async (streams) => {
  // Nothing here needs a controller: without these plugins a pod can be created directly.
  const plane = await startControlPlane({ disableAdmissionPlugins: ["ServiceAccount", "TaintNodesByCondition"] });
  const kubelet = await openKubelet(streams, await readFile(createLayout(plane.dir).authority.certificate, "utf8"));
  const transport = await createTransport(await loadClusterAccess({ kubeconfig: plane.kubeconfig }));
  await createStreamFixtures(transport, kubelet);
  await transport.close();
  return {
    kubeconfig: plane.kubeconfig,
    async [Symbol.asyncDispose]() {
      await plane.stop();
      await kubelet.close();
    },
  };
};

/** Our API server, which reaches the node in the same process, or through a kubelet port. */
const embedded =
  (near: boolean): StartServer =>
  async (streams) => {
    const folder = await mkdtemp(join(tmpdir(), "pintle-streams-"));
    const kubelet = near ? undefined : await openKubelet(streams, kubelets.certificate);
    const cluster = await startCluster({
      http: true,
      without: true,
      authority: { certificate: kubelets.certificate, key: kubelets.key },
      ...(kubelet === undefined ? {} : { loopbackKubelets: [`127.0.0.1:${kubelet.port}`] }),
    });
    if (near) cluster.nodeStreams.register("machine", streams);
    await createStreamFixtures(cluster.transport, kubelet);
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
export const startEmbeddedInProcess = embedded(true);
export const startEmbeddedWithKubeletPort = embedded(false);
