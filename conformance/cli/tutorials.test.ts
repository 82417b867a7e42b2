/** The commands of the tutorials of kubebuilder and of operator-sdk before 1.0 on an embedded cluster. */
import { execFile, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Client, connect } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RegistryServer, startRegistryServer } from "../../packages/cli/src/local-cluster/index.ts";
import { main } from "../../packages/cli/src/main.ts";
import { createTestProject } from "../../packages/cli/test/test-project.ts";
import { smallBase } from "../image/small-base.ts";
import { binary } from "../real/index.ts";
import { isSampled } from "./sampled.ts";
import { type CliServer, startEmbedded } from "./servers.ts";

const BIN = fileURLToPath(new URL("../../packages/cli/src/bin.ts", import.meta.url));
let server: CliServer;
let client: Client;
let registry: RegistryServer;
beforeAll(async () => {
  server = await startEmbedded();
  client = await connect({ kubeconfig: server.kubeconfig });
  registry = await startRegistryServer();
});
afterAll(async () => {
  await client?.close();
  await registry?.[Symbol.asyncDispose]();
  await server?.stop();
});

/** Runs command lines of a tutorial in a folder. */
function createShell(root: string) {
  return {
    async type(line: string, ...more: string[]): Promise<string> {
      const output = { out: "", err: "" };
      const code = await main([...line.split(" "), ...more], {
        out: (text) => (output.out += text),
        err: (text) => (output.err += text),
        tty: false,
        cwd: root,
        signal: AbortSignal.timeout(100_000),
      });
      expect({ line, code, ...(code === 0 ? {} : output) }).toEqual({ line, code: 0 });
      return output.out + output.err;
    },
    /** Starts a long-running command as a child process. */
    staying(line: string, ...more: string[]) {
      const args = ["--conditions=@pintle/source", "--import", import.meta.resolve("tsx"), BIN, ...line.split(" "), ...more];
      const child = spawn(process.execPath, args, {
        cwd: root,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, POD_NAMESPACE: "default" },
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
      const ended = new Promise((resolve) => child.once("exit", resolve));
      return {
        async until(pattern: RegExp) {
          while (!pattern.test(output)) {
            if (child.exitCode !== null) throw new Error(`${line} ended with ${child.exitCode}: ${output}`);
            await delay(50);
          }
        },
        async stop() {
          child.kill("SIGINT");
          await ended;
        },
      };
    },
  };
}
const kubectl = async (...words: string[]) =>
  (await promisify(execFile)(binary("kubectl"), ["--kubeconfig", server.kubeconfig, ...words])).stdout;

const kubeconfigFlags = () => ["--kubeconfig", server.kubeconfig];
const within = { timeout: 60_000 };

test.runIf(isSampled(2))("the commands of kubebuilder's tutorial work", async () => {
  using here = createTestProject();
  const root = path.join(here.root, "project");
  mkdirSync(root);
  const { type: runCommand, staying: startCommand } = createShell(root);
  expect(await runCommand("init --domain tutorial.kubebuilder.io --repo tutorial.kubebuilder.io/project")).toContain(
    "this command is now: pintle init . --domain tutorial.kubebuilder.io --no-api --yes\n",
  );
  await runCommand("create api --group batch --version v1 --kind CronJob --resource --controller");
  await runCommand("create webhook --group batch --version v1 --kind CronJob --defaulting --programmatic-validation");
  expect(await runCommand("manifests")).toContain("config/crd/bases/batch.tutorial.kubebuilder.io_cronjobs.yaml");
  expect(await runCommand("install", ...kubeconfigFlags())).toContain(
    "customresourcedefinition.apiextensions.k8s.io/cronjobs.batch.tutorial.kubebuilder.io created",
  );
  const run = startCommand(
    "run",
    ...kubeconfigFlags(),
    "--",
    "--webhook-bind-address=0",
    "--metrics-bind-address=0",
    "--health-probe-bind-address=0",
  );
  try {
    await kubectl("apply", "-k", path.join(root, "config/samples"));
    const ref = { name: "demo", namespace: "default" };
    const replicas = (count: number) => client.waitFor(Deployment, ref, ({ status }) => status.readyReplicas === count, within);
    await replicas(2);
    await kubectl("scale", "cronjobs.batch.tutorial.kubebuilder.io/demo", "--replicas=3");
    await replicas(3);
    await kubectl("delete", "cronjobs.batch.tutorial.kubebuilder.io/demo");
    await client.waitForDeletion(Deployment, ref, within);
  } finally {
    await run.stop();
  }
  await smallBase(path.join(root, "base"));
  const image = `${registry.host}/project:v1`;
  await runCommand(`docker-build IMG=${image} --base oci:base`);
  expect(await runCommand(`docker-push IMG=${image} --insecure-registry`)).toContain("pushed");
  expect(await runCommand(`deploy IMG=${image}`, ...kubeconfigFlags())).toContain("project 0.1.0 is available in namespace project-system");
  expect(await runCommand("undeploy --yes", ...kubeconfigFlags())).toContain("namespace/project-system deleted");
});

test.runIf(isSampled(3))("operator-sdk's tutorial of old", async () => {
  using here = createTestProject();
  const root = path.join(here.root, "memcached-operator");
  expect(
    await createShell(here.root).type("new memcached-operator --repo=github.com/example-inc/memcached-operator --skip-validation"),
  ).toContain("--repo is ignored: pintle projects have no Go module\n");
  const { type: runCommand, staying: startCommand } = createShell(root);
  await runCommand("add api --api-version=cache.example.com/v1alpha1 --kind=Memcached");
  expect(await runCommand("add controller --api-version=cache.example.com/v1alpha1 --kind=Memcached")).toContain(
    "already has a controller for Memcached",
  );
  await runCommand("generate k8s");
  await runCommand("generate crds");
  await runCommand("generate --layout deploy");
  await smallBase(path.join(root, "base"));
  await runCommand(`build ${registry.host}/example/memcached-operator:v0.0.1 --base oci:base`);
  await kubectl("apply", "-f", path.join(root, "deploy/crds/cache.example.com_memcacheds_crd.yaml"));
  for (const file of ["service_account", "role", "role_binding", "operator"])
    await kubectl("apply", "-f", path.join(root, `deploy/${file}.yaml`));
  const up = startCommand(`up local --namespace=default --kubeconfig=${server.kubeconfig}`);
  try {
    await up.until(/this command is now: pintle run --namespace default/);
    await kubectl("wait", "--for=condition=Established", "crd/memcacheds.cache.example.com", "--timeout=30s");
    await kubectl("apply", "-f", path.join(root, "deploy/crds/cache.example.com_v1alpha1_memcached_cr.yaml"));
    await client.waitFor(Deployment, { name: "demo", namespace: "default" }, ({ status }) => status.readyReplicas === 2, within);
  } finally {
    await up.stop();
  }
});
