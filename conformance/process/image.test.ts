/** An operator from source to pod: built, pushed, deployed, pulled by a process node, and reconciling. */

import path from "node:path";
import { text } from "node:stream/consumers";
import { type Cluster, startCluster } from "@pintle/cluster";
import { Deployment } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import { startRegistryServer } from "../../packages/cli/src/local-cluster/index.ts";
import { createTestProject, shopProject } from "../../packages/cli/test/test-project.ts";
import { full } from "../sampling.ts";
import { modes } from "./modes.ts";

const within = { timeout: 60_000 };

describe.runIf(full).each(modes)("%s", (mode) => {
  test("an image built by pintle build runs as a pod", async () => {
    await using registry = await startRegistryServer();
    using here = createTestProject(shopProject());
    const image = `${registry.host}/team/shop:1`;
    await using cluster = await startCluster({ nodes: { kind: "process", mode } });
    await cluster.ready;
    const kubeconfig = path.join(here.root, "kubeconfig");
    await cluster.writeKubeconfig(kubeconfig);
    expect(await here.pintle("build", image, "--push", "--insecure-registry")).toMatchObject({ code: 0 });
    const deployed = await here.pintle("deploy", "--image", image, "--kubeconfig", kubeconfig, "--timeout", "90");
    const client = cluster.client();
    const [pod] = (await client.list(Pod)).items;
    expect(deployed, await logs(cluster, pod)).toMatchObject({ code: 0 });
    expect(pod?.status.containerStatuses?.[0]?.imageID).toMatch(new RegExp(`^${registry.host}/team/shop@sha256:[0-9a-f]{64}$`));
    const [deployment] = (await client.list(Deployment)).items;
    expect(deployment?.status.readyReplicas).toBe(1);
    if (mode === "namespaces") {
      // The generated Deployment drops all capabilities, which applies inside of an unpacked image, and to kubectl exec, too.
      const printStatus = "process.stdout.write(fs.readFileSync('/proc/self/status'))";
      const { stdout } = await client.exec(Pod, pod!.metadata, { command: ["node", "-e", printStatus] });
      expect(await text(stdout)).toMatch(/^CapEff:\s0{16}\nCapBnd:\s0{16}\n(.*\n)*NoNewPrivs:\s1$/m);
    }

    const Store = await client.discoverKind("shop.example.com/v1", "Store");
    await client.create(Store, { metadata: { name: "one", namespace: "default" }, spec: {} } as never);
    const isReconciled = (object: object) => (object as { readonly status?: { readonly seen?: number } }).status?.seen === 1;
    await client.waitFor(Store, { name: "one", namespace: "default" }, isReconciled, within);
  });
});

/** Returns the operator's log, to show why it did not become ready. */
async function logs(cluster: Cluster, pod: Pod | undefined): Promise<string> {
  if (pod === undefined) return "no pod";
  const target = { namespace: pod.metadata.namespace, pod: pod.metadata.name, uid: pod.metadata.uid, container: "manager" };
  const options = { follow: false, previous: false, timestamps: false };
  let output = JSON.stringify(pod.status.containerStatuses);
  try {
    for await (const bytes of cluster.nodes[0]!.streams.logs(target, options, new AbortController().signal))
      output += Buffer.from(bytes).toString();
  } catch (error) {
    output += String(error);
  }
  return output;
}
