/** The tutorials of kubebuilder and of operator-sdk before 1.0, in their own words, on an embedded cluster. */
import { execFile, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Client, connect } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RegistryServer, registryServer } from "../../packages/cli/src/local/index.ts";
import { main } from "../../packages/cli/src/main.ts";
import { workshop } from "../../packages/cli/test/pintle.ts";
import { smallBase } from "../image/small-base.ts";
import { binary } from "../real/index.ts";
import { embedded, type Server } from "./servers.ts";
import { turn } from "./turn.ts";

const BIN = fileURLToPath(new URL("../../packages/cli/src/bin.ts", import.meta.url));
let server: Server;
let client: Client;
let registry: RegistryServer;
beforeAll(async () => {
  server = await embedded();
  client = await connect({ kubeconfig: server.kubeconfig });
  registry = await registryServer();
});
afterAll(async () => {
  await client?.close();
  await registry?.[Symbol.asyncDispose]();
  await server?.stop();
});

/** A folder, and lines typed in it as they are in the tutorial. */
function typist(root: string) {
  return {
    async type(line: string, ...more: string[]): Promise<string> {
      const said = { out: "", err: "" };
      const code = await main([...line.split(" "), ...more], {
        out: (text) => (said.out += text),
        err: (text) => (said.err += text),
        tty: false,
        cwd: root,
        signal: AbortSignal.timeout(100_000),
      });
      expect({ line, code, ...(code === 0 ? {} : said) }).toEqual({ line, code: 0 });
      return said.out + said.err;
    },
    /** A command that stays, as a process of its own. */
    staying(line: string, ...more: string[]) {
      const args = ["--conditions=@pintle/source", "--import", import.meta.resolve("tsx"), BIN, ...line.split(" "), ...more];
      const child = spawn(process.execPath, args, {
        cwd: root,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, POD_NAMESPACE: "default" },
      });
      let told = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (told += text));
      const ended = new Promise((resolve) => child.once("exit", resolve));
      return {
        async until(pattern: RegExp) {
          while (!pattern.test(told)) {
            if (child.exitCode !== null) throw new Error(`${line} ended with ${child.exitCode}: ${told}`);
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

const at = () => ["--kubeconfig", server.kubeconfig];
const within = { timeout: 60_000 };

test.runIf(turn(2))("kubebuilder's tutorial", async () => {
  using here = workshop();
  const root = path.join(here.root, "project");
  mkdirSync(root);
  const { type, staying } = typist(root);
  expect(await type("init --domain tutorial.kubebuilder.io --repo tutorial.kubebuilder.io/project")).toContain(
    "this is now: pintle init . --domain tutorial.kubebuilder.io --no-api --yes\n",
  );
  await type("create api --group batch --version v1 --kind CronJob --resource --controller");
  await type("create webhook --group batch --version v1 --kind CronJob --defaulting --programmatic-validation");
  expect(await type("manifests")).toContain("config/crd/bases/batch.tutorial.kubebuilder.io_cronjobs.yaml");
  expect(await type("install", ...at())).toContain("cronjobs.batch.tutorial.kubebuilder.io created, established");
  const run = staying("run", ...at(), "--", "--webhook-bind-address=0", "--metrics-bind-address=0", "--health-probe-bind-address=0");
  try {
    await kubectl("apply", "-k", path.join(root, "config/samples"));
    const ref = { name: "demo", namespace: "default" };
    const replicas = (count: number) => client.wait(Deployment, ref, ({ status }) => status.readyReplicas === count, within);
    await replicas(2);
    await kubectl("scale", "cronjobs.batch.tutorial.kubebuilder.io/demo", "--replicas=3");
    await replicas(3);
    await kubectl("delete", "cronjobs.batch.tutorial.kubebuilder.io/demo");
    await client.waitGone(Deployment, ref, within);
  } finally {
    await run.stop();
  }
  await smallBase(path.join(root, "base"));
  const image = `${registry.host}/project:v1`;
  await type(`docker-build IMG=${image} --base oci:base`);
  expect(await type(`docker-push IMG=${image} --insecure-registry`)).toContain("pushed");
  expect(await type(`deploy IMG=${image}`, ...at())).toContain("project 0.1.0 runs in project-system");
  expect(await type("undeploy --yes", ...at())).toContain("deleted   Namespace project-system");
});

test.runIf(turn(3))("operator-sdk's tutorial of old", async () => {
  using here = workshop();
  const root = path.join(here.root, "memcached-operator");
  expect(
    await typist(here.root).type("new memcached-operator --repo=github.com/example-inc/memcached-operator --skip-validation"),
  ).toContain("--repo is not needed: there is no Go module to name\n");
  const { type, staying } = typist(root);
  await type("add api --api-version=cache.example.com/v1alpha1 --kind=Memcached");
  expect(await type("add controller --api-version=cache.example.com/v1alpha1 --kind=Memcached")).toContain(
    "has a controller of Memcached already",
  );
  await type("generate k8s");
  await type("generate crds");
  await type("generate --layout deploy");
  await smallBase(path.join(root, "base"));
  await type(`build ${registry.host}/example/memcached-operator:v0.0.1 --base oci:base`);
  await kubectl("apply", "-f", path.join(root, "deploy/crds/cache.example.com_memcacheds_crd.yaml"));
  for (const file of ["service_account", "role", "role_binding", "operator"])
    await kubectl("apply", "-f", path.join(root, `deploy/${file}.yaml`));
  const up = staying(`up local --namespace=default --kubeconfig=${server.kubeconfig}`);
  try {
    await up.until(/this is now: pintle run --namespace default/);
    await kubectl("wait", "--for=condition=Established", "crd/memcacheds.cache.example.com", "--timeout=30s");
    await kubectl("apply", "-f", path.join(root, "deploy/crds/cache.example.com_v1alpha1_memcached_cr.yaml"));
    await client.wait(Deployment, { name: "demo", namespace: "default" }, ({ status }) => status.readyReplicas === 2, within);
  } finally {
    await up.stop();
  }
});
