import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Client, connect } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Lease } from "pintle/kinds/coordination/v1";
import { Namespace } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Memcached } from "../../examples/memcached/src/memcached.ts";
import { certificateAuthority } from "../real/certificates/certificates.ts";
import { binary, type ControlPlane, startControlPlane } from "../real/index.ts";
import { freePorts } from "../real/programs/ports.ts";
import { waitUntil } from "./replica-group.ts";
import { scrape } from "./scrape.ts";
import { install } from "./servers.ts";

const main = fileURLToPath(new URL("../../examples/memcached/src/main.ts", import.meta.url));
const NAMESPACES = ["one", "two", "three", "system"];

let plane: ControlPlane;
let client: Client;
let folder: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pintle-flags-"));
  plane = await startControlPlane();
  client = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
  await install(client, Memcached);
  for (const name of NAMESPACES) await client.create(Namespace, { metadata: { name } });
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await client?.close();
  await plane?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the Memcached example as the container of a Deployment would. */
function startOperator(
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
): { readonly child: ChildProcess; readOutput(): string } {
  const child = spawn(process.execPath, ["--conditions=@pintle/source", "--import", "tsx", main, "--webhook-bind-address=0", ...flags], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, KUBECONFIG: plane.kubeconfig, ...env },
  });
  let text = "";
  child.stderr!.on("data", (data) => {
    text += data;
  });
  children.push(child);
  return { child, readOutput: () => text };
}
const kubectl = (...args: readonly string[]) =>
  execFileSync(binary("kubectl"), ["--kubeconfig", plane.kubeconfig, ...args], { encoding: "utf8" }).trim();
const code = async (url: string) => {
  try {
    return (await fetch(url)).status;
  } catch {
    return 0;
  }
};

test("RT-24, RT-29, RT-30 accepts the flags and environment of Go operators' manifests: leader election, probes, metrics, namespaces", async () => {
  const [health, metrics] = await freePorts(2);
  const { child, readOutput } = startOperator(
    ["--leader-elect", `--metrics-bind-address=127.0.0.1:${metrics}`, "--health-probe-bind-address", `127.0.0.1:${health}`],
    { WATCH_NAMESPACE: "one,two", POD_NAMESPACE: "system", POD_NAME: "operator-0" },
  );
  await waitUntil("readiness", async () => (await code(`http://127.0.0.1:${health}/readyz`)) === 200);
  expect(await code(`http://127.0.0.1:${health}/healthz`)).toBe(200);

  for (const namespace of ["one", "two", "three"]) await client.create(Memcached, { metadata: { name: "cache", namespace }, spec: {} });
  for (const namespace of ["one", "two"]) await client.waitFor(Deployment, { name: "cache", namespace }, () => true, { timeout: 30_000 });
  expect(await client.find(Deployment, { name: "cache", namespace: "three" })).toBeUndefined();
  const { items } = await client.list(Lease, { namespace: "system" });
  expect(items.map(({ metadata, spec }) => [metadata.name, spec?.holderIdentity !== ""])).toEqual([["memcached", true]]);

  const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
  expect(text).toContain('leader_election_master_status{name="memcached"} 1');
  expect(text).toMatch(/pintle_cache_objects\{kind="Memcached",namespace="one"\} 1/);
  expect(text).not.toMatch(/namespace="three"/);
  expect(text).toMatch(/^rest_client_requests_total\{code="20[01]",method="PATCH",host="127\.0\.0\.1:\d+"\} [1-9]/m);

  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  expect(await ended, readOutput()).toBe(0);
  expect((await client.get(Lease, { name: "memcached", namespace: "system" })).spec?.holderIdentity).toBe("");
}, 120_000);

test("RT-28, RT-29 serves metrics over TLS with reloaded certificates: 401 without a token, 403 without authorization, 200 with both", async () => {
  const authority = certificateAuthority("metrics");
  /** Mounts a Secret as a kubelet does: the files are behind a symlink that is swapped. */
  const writeMountedFiles = (version: string) => {
    const { certificate, key } = authority.server({ commonName: version }, ["127.0.0.1"]);
    mkdirSync(join(folder, version));
    writeFileSync(join(folder, version, "tls.crt"), certificate);
    writeFileSync(join(folder, version, "tls.key"), key);
    rmSync(join(folder, "data"), { force: true });
    symlinkSync(version, join(folder, "data"));
  };
  writeMountedFiles("first");
  for (const file of ["tls.crt", "tls.key"]) symlinkSync(join("data", file), join(folder, file));

  kubectl("create", "serviceaccount", "scraper");
  kubectl("create", "serviceaccount", "stranger");
  kubectl("create", "clusterrole", "metrics-reader", "--verb=get", "--non-resource-url=/metrics");
  kubectl("create", "clusterrolebinding", "scraper", "--clusterrole=metrics-reader", "--serviceaccount=default:scraper");
  const token = kubectl("create", "token", "scraper");
  const [health, metrics] = await freePorts(2);
  startOperator(
    [
      `--metrics-bind-address=127.0.0.1:${metrics}`,
      "--metrics-secure",
      `--metrics-cert-path=${folder}`,
      `--health-probe-bind-address=127.0.0.1:${health}`,
    ],
    {},
  );
  await waitUntil("readiness", async () => (await code(`http://127.0.0.1:${health}/readyz`)) === 200);

  const url = `https://127.0.0.1:${metrics}/metrics`;
  const ca = authority.certificate;
  expect((await scrape(url, { ca })).status).toBe(401);
  expect((await scrape(url, { ca, token: "made up" })).status).toBe(401);
  expect((await scrape(url, { ca, token: kubectl("create", "token", "stranger") })).status).toBe(403);
  const answer = await scrape(url, { ca, token });
  expect(answer.status).toBe(200);
  expect(answer.body).toContain("controller_runtime_reconcile_total");
  expect(await code(`http://127.0.0.1:${metrics}/metrics`), "nothing is served in the clear").not.toBe(200);

  writeMountedFiles("second");
  const took = await waitUntil("the new certificate", async () => (await scrape(url, { ca, token })).fingerprint !== answer.fingerprint);
  expect(took).toBeLessThan(10_000 + 5_000);
  unlinkSync(join(folder, "data"));
  expect((await scrape(url, { ca, token })).status).toBe(200);
}, 120_000);
