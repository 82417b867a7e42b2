import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "@pintle/cluster";
import { createClient, hasCondition } from "pintle/client";
import { Namespace, Pod } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findKubectls, keepRecorded } from "../../packages/cluster/test/kubectl/kubectls.ts";
import { runCommand } from "../../packages/cluster/test/kubectl/run-command.ts";
import { full } from "../sampling.ts";

const all = keepRecorded(findKubectls(), (minor) => existsSync(new URL(`golden/top-${minor}.txt`, import.meta.url)));
const sample = full ? all : all.filter((_, index) => index === 0 || index === all.length - 1);

const COMMANDS = [
  "top node",
  "top nodes --no-headers",
  "top pod",
  "top pod -A --sort-by=cpu",
  "top pod -A --sort-by=memory --no-headers",
  "top pod --containers -l app=big",
  "top pod small",
  "top pod nobody",
  "top pod -n nowhere",
  "get pods.metrics.k8s.io",
  "get nodes.metrics.k8s.io",
  "api-resources --api-group=metrics.k8s.io -o wide",
  "explain pods --api-version=metrics.k8s.io/v1beta1",
  "explain nodes.usage --api-version=metrics.k8s.io/v1beta1",
  "get apiservices v1beta1.metrics.k8s.io -o jsonpath={.spec.group},{.spec.version},{.status.conditions[0].status}",
];

/** Simulated pods use what they request. There is no metrics server to compare with: the golden text was reviewed by hand. */
describe("kubectl top", () => {
  let folder: string;
  let cluster: Awaited<ReturnType<typeof startCluster>>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pintle-top-"));
    cluster = await startCluster({ http: true });
    await cluster.writeKubeconfig(join(folder, "kubeconfig"));
    const client = createClient(cluster.transport);
    await client.create(Namespace, { metadata: { name: "other" } });
    await cluster.ready;
    const wanted = [
      ["default", "small", "100m", "32Mi"],
      ["default", "big", "1500m", "1Gi"],
      ["other", "middle", "250m", "512Mi"],
    ] as const;
    for (const [namespace, name, cpu, memory] of wanted) {
      const requests = { cpu, memory };
      const containers = ["main", "side"].map((each) => ({ name: each, image: "x", ...(each === "main" && { resources: { requests } }) }));
      await client.create(Pod, { metadata: { name, namespace, labels: { app: name } }, spec: { containers } });
      await client.waitFor(Pod, { name, namespace }, hasCondition("Ready"), { timeout: 60_000 });
    }
  });
  afterAll(async () => {
    await cluster.stop();
    await rm(folder, { recursive: true });
  });

  it.each(sample)("$minor", async ({ path, minor }) => {
    const env = { PATH: process.env["PATH"], HOME: folder, KUBECONFIG: join(folder, "kubeconfig") };
    const transcript: string[] = [];
    for (const line of COMMANDS) {
      const { code, out, err } = await runCommand({ path, args: line.split(" "), folder, env });
      transcript.push(
        `$ kubectl ${line}\n${out.replace(/ +$/gm, "")}${err.replace(/^(?=.)/gm, "! ")}${code === 0 ? "" : `! exit ${code}\n`}`,
      );
    }
    await expect(transcript.join("\n")).toMatchFileSnapshot(`golden/top-${minor}.txt`);
  });
});
