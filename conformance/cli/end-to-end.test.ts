/** Builds an operator, pushes it to registries, deploys it to a cluster whose pods are processes, and removes it. */
import { execFile, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Client, connect } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Lease } from "pintle/kinds/coordination/v1";
import { Pod } from "pintle/kinds/core/v1";
import { expect, onTestFailed, test } from "vitest";
import { main } from "../../packages/cli/src/main.ts";
import { createTestProject } from "../../packages/cli/test/test-project.ts";
import { missing, registry } from "../image/debian.ts";
import { modes } from "../process/modes.ts";
import { binary } from "../real/index.ts";
import { full } from "../sampling.ts";

const BIN = fileURLToPath(new URL("../../packages/cli/src/bin.ts", import.meta.url));
const SYSTEM = "shop-system";
const within = { timeout: 90_000 };
if (missing.length > 0) console.warn(`\n!!! SKIPPED: ${missing.join(", ")} missing, so nothing was deployed. Debian has them.\n`);

/** Starts a long-running command; `until` waits for output. */
function startCommand(cwd: string, ...words: string[]) {
  const args = ["--conditions=@pintle/source", "--import", import.meta.resolve("tsx"), BIN, ...words];
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  onTestFailed(() => console.log(`pintle ${words.join(" ")}\n${output}`));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return {
    pid: child.pid!,
    async until(pattern: RegExp, from = 0) {
      for (;;) {
        const found = pattern.exec(output.slice(from));
        if (found !== null) return found;
        if (child.exitCode !== null) throw new Error(`pintle ${words.join(" ")} ended with ${child.exitCode}: ${output}`);
        await delay(50);
      }
    },
    output: () => output.length,
    async [Symbol.asyncDispose]() {
      child.kill("SIGINT");
      await ended;
    },
  };
}

/** Finds the operator's process among the descendants of the cluster's. */
function findOperatorProcess(cluster: number): number {
  const readProcess = (pid: number) => {
    try {
      const parent = Number(/\) . (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
      return { parent, words: readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0") };
    } catch {
      return undefined;
    }
  };
  const isDescendant = (pid: number): boolean => pid === cluster || (pid > 1 && isDescendant(readProcess(pid)?.parent ?? 0));
  const found = readdirSync("/proc")
    .map(Number)
    .filter((pid) => readProcess(pid)?.words[1]?.endsWith("/app/main.js") === true && isDescendant(pid));
  expect(found).toHaveLength(1);
  return found[0]!;
}

test.runIf(full && missing.length === 0).each(modes)(
  "an operator is built, pushed, deployed, reconciles, and is undeployed (%s)",
  { timeout: 300_000 },
  async (mode) => {
    using here = createTestProject({ "nodes.yaml": `mode: ${mode}\n` });
    await using cluster = startCommand(here.root, "cluster", "up", "--nodes", "process", "--node-config", "nodes.yaml", "--registry");
    const [, loopback] = await cluster.until(/registry (\S+) \(plain HTTP\)/);
    await using debian = await registry();
    const kubeconfig = path.join(here.root, ".pintle/kubeconfig");
    const kubectl = async (...words: string[]) =>
      (await promisify(execFile)(binary("kubectl"), ["--kubeconfig", kubeconfig, ...words])).stdout;
    const project = path.join(here.root, "shop");
    const runPintle = async (cwd: string, ...words: string[]) => {
      const output = { out: "", err: "" };
      const io = { out: (text: string) => (output.out += text), err: (text: string) => (output.err += text), tty: false };
      return { code: await main(words, { ...io, cwd, signal: AbortSignal.timeout(120_000) }), ...output };
    };
    const pintle = async (cwd: string, ...words: string[]) => {
      const { code, ...output } = await runPintle(cwd, ...words);
      expect({ words, code, ...(code === 0 ? {} : output) }).toEqual({ words, code: 0 });
      return output.out;
    };
    const at = ["--kubeconfig", kubeconfig];
    const client = await connect({ kubeconfig });
    const before = await listObjects(kubectl);
    await pintle(here.root, "init", "shop", "--kind", "Storefront", "--domain", "shop.example.com", "--yes");
    for (const host of [loopback, debian.host]) {
      const image = `${host}/team/shop:1`;
      expect(await pintle(project, "build", image, "--push", "--insecure-registry")).toContain("pushed");
      expect(await (await fetch(`http://${host}/v2/_catalog`)).json()).toEqual({ repositories: ["team/shop"] });
      expect(await pintle(project, "deploy", "--image", image, ...at)).toContain(`shop 0.1.0 is available in namespace ${SYSTEM}`);

      const pods = await kubectl("get", "pods", "-n", SYSTEM);
      expect(pods).toMatch(/^shop-controller-manager-\S+ +1\/1 +Running +0 /m);
      const [pod] = (await client.list(Pod, { namespace: SYSTEM })).items;
      expect(pod!.spec.serviceAccountName).toBe("shop-controller-manager");
      expect(pod!.status.containerStatuses?.[0]?.imageID).toMatch(new RegExp(`^${host}/team/shop@sha256:`));
      const readLeaseHolder = async () => (await client.list(Lease, { namespace: SYSTEM })).items[0]?.spec?.holderIdentity ?? "";
      await expect.poll(readLeaseHolder, within).toContain(pod!.metadata.name);

      await kubectl("apply", "-f", path.join(project, "config/samples/storefront.yaml"));
      await kubectl("wait", "--for=create", "deployment/demo", "--timeout=90s");
      expect(await kubectl("get", "storefront", "demo")).toMatch(/^demo +2 /m);
      const logs = ["logs", "-n", SYSTEM, "deploy/shop-controller-manager"];
      await expect.poll(() => kubectl(...logs), within).toMatch(/Successfully acquired lease/);
      await expect.poll(() => pintle(project, "logs", ...at), within).toMatch(/Successfully acquired lease/);
      // The nodes have no nginx image, so the sample is not available.
      const { code, out } = await runPintle(project, "status", ...at);
      expect(out).toMatch(new RegExp(`^shop {2}${image} {2}1/1 ready {2}leader ${pod!.metadata.name}`));
      expect([code, out]).toEqual([1, expect.stringMatching(/default\/demo {2}Available=False .* 0 of 2 pods are ready/)]);

      await followLogs(project, kubeconfig, client, async () => {
        process.kill(findOperatorProcess(cluster.pid), "SIGKILL");
        await client.waitFor(Pod, pod!.metadata, ({ status }) => status.containerStatuses?.[0]?.restartCount === 1, within);
      });
      await expect.poll(() => kubectl(...logs, "--previous"), within).toMatch(/Successfully acquired lease/);
      expect(await pintle(project, "logs", "--previous", ...at)).toMatch(/Successfully acquired lease/);

      await pintle(project, "undeploy", "--yes", ...at);
      await client.waitForDeletion(Deployment, { name: "demo", namespace: "default" }, within);
      await expect.poll(() => listObjects(kubectl), within).toEqual(before);
    }
    await client.close();
  },
);

/** Both kubectl logs -f and pintle logs -f print new lines; pintle continues after a container restart. */
async function followLogs(project: string, kubeconfig: string, client: Client, restart: () => Promise<void>): Promise<void> {
  await using ours = startCommand(project, "logs", "-f", "--kubeconfig", kubeconfig);
  const deployed = spawn(binary("kubectl"), ["--kubeconfig", kubeconfig, "logs", "-f", "-n", SYSTEM, "deploy/shop-controller-manager"]);
  const closed = new Promise((resolve) => deployed.once("exit", resolve));
  let output = "";
  deployed.stdout.on("data", (text) => (output += text));
  await ours.until(/Successfully acquired lease/);
  await expect.poll(() => output, within).toMatch(/Successfully acquired lease/);
  const from = ours.output();
  const Storefront = await client.discoverKind("shop.example.com/v1alpha1", "Storefront");
  await client.patch(Storefront, { name: "demo", namespace: "default" } as never, { merge: { spec: { replicas: 3 } } });
  await ours.until(/spec\.replicas|default\/demo/, from);
  await expect.poll(() => output, within).toMatch(/default\/demo/);
  const then = ours.output();
  await restart();
  await ours.until(/Caches synced/, then);
  // kubectl ends with the container.
  await closed;
}

/** Lists the names of all objects of the cluster except those that change by themselves. */
async function listObjects(kubectl: (...words: string[]) => Promise<string>): Promise<readonly string[]> {
  const kinds = (await kubectl("api-resources", "--verbs=list", "-o", "name")).trim().split("\n");
  const names = await kubectl(
    "get",
    kinds.filter((kind) => !/^(events|leases)\b/.test(kind)).join(","),
    "-A",
    "-o",
    "name",
    "--ignore-not-found",
  );
  return names.trim().split("\n").sort();
}
