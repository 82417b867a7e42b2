/** A cluster that stores its objects in a real etcd shows it as a pod, in which kubectl exec runs etcdctl. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { type ClusterOptions, startCluster } from "@pintle/cluster";
import { ConfigMap, Pod } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { binary } from "../real/index.ts";
import { full } from "../sampling.ts";
import { type Etcd, startEtcd } from "../store/etcd.ts";
import { modes } from "./modes.ts";

const within = { timeout: 60_000 };
const ref = { name: "etcd-node-1", namespace: "kube-system" };
const isReady = ({ status }: Pod) => status.containerStatuses?.[0]?.ready === true;

/** Runs `work` with etcdctl on the PATH. */
function withEtcdctl<T>(work: () => Promise<T>): Promise<T> {
  const before = process.env["PATH"];
  process.env["PATH"] = `${path.dirname(binary("etcdctl"))}:${before}`;
  return work().finally(() => {
    process.env["PATH"] = before;
  });
}

async function inCluster(etcd: Etcd, nodes: ClusterOptions["nodes"], work: (kubectl: RunKubectl, cluster: Started) => Promise<void>) {
  const folder = await mkdtemp(path.join(tmpdir(), "pintle-etcd-pod-"));
  const cluster = await startCluster({ store: { etcd: { endpoints: [etcd.endpoint], ...etcd.credentials } }, http: true, nodes });
  try {
    const config = path.join(folder, "config");
    await cluster.writeKubeconfig(config);
    const kubectl: RunKubectl = async (...args) =>
      promisify(execFile)(binary("kubectl"), [...args], { env: { ...process.env, KUBECONFIG: config } }).then(
        ({ stdout }) => stdout,
        ({ stderr }: { readonly stderr: string }) => stderr,
      );
    await cluster.client().waitFor(Pod, ref, isReady, within);
    await work(kubectl, cluster);
  } finally {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
type RunKubectl = (...args: readonly string[]) => Promise<string>;
type Started = Awaited<ReturnType<typeof startCluster>>;

const nodes: readonly (readonly [string, ClusterOptions["nodes"], tls: boolean])[] = [
  ["simulated nodes", 1, false],
  ["simulated nodes, etcd asks for certificates", 1, true],
  ...(full ? modes.map((mode) => [`process nodes, ${mode}`, { kind: "process", mode }, false] as const) : []),
];

test.each(nodes)("%s: kubectl exec runs etcdctl in etcd's pod", { timeout: 180_000 }, async (_, nodes, tls) => {
  await using etcd = await startEtcd({ tls });
  await withEtcdctl(() =>
    inCluster(etcd, nodes, async (kubectl, cluster) => {
      const client = cluster.client();
      await client.create(ConfigMap, { metadata: { name: "mine", namespace: "default" }, data: { colour: "blue" } });

      const keys = await kubectl("-n", "kube-system", "exec", ref.name, "--", "etcdctl", "get", "/", "--prefix", "--keys-only");
      expect(keys.split("\n")).toEqual(
        expect.arrayContaining(["/registry/configmaps/default/mine", "/registry/pods/kube-system/etcd-node-1"]),
      );
      // Flags given on the command line are not repeated.
      const command = ["etcdctl", `--endpoints=${etcd.endpoint}`, "get", "/registry/configmaps/default/mine", "--print-value-only"];
      expect(await kubectl("-n", "kube-system", "exec", ref.name, "-c", "etcd", "--", ...command)).toContain('"colour":"blue"');

      expect(await kubectl("-n", "kube-system", "get", "pod", ref.name)).toMatch(/^etcd-node-1 +1\/1 +Running +0 /m);
      expect(await kubectl("-n", "kube-system", "logs", ref.name)).toContain(etcd.endpoint);
      expect(await kubectl("-n", "kube-system", "exec", ref.name, "--", "sh", "-c", "true")).toContain(
        'exec: "sh": executable file not found in $PATH',
      );

      const { uid } = (await client.get(Pod, ref)).metadata;
      await kubectl("-n", "kube-system", "delete", "pod", ref.name, "--wait=false");
      await client.waitFor(Pod, ref, (pod) => pod.metadata.uid !== uid && isReady(pod), within);
    }),
  );
});
