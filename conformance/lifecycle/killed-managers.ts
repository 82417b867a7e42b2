import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Cluster } from "@pintle/cluster";
import { build } from "esbuild";
import type { TransportRequest } from "pintle/client";
import { startRegistryServer } from "../../packages/cli/src/local-cluster/index.ts";
import { createCatalog } from "../../packages/cli/test/lifecycle/bundles.ts";
import type { CrashGround, CrashSchedule, MortalManagers } from "../../packages/cli/test/lifecycle/crashes.ts";
import { pushFiles } from "./memcached-bundles.ts";

/** Managers as processes of this machine that end with SIGKILL, and a registry for their images. */
export async function startProcessGround(): Promise<CrashGround & AsyncDisposable> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-killed-"));
  const program = path.join(folder, "manager.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("../../packages/lifecycle/src/bin.ts", import.meta.url))],
    outfile: program,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    conditions: ["@pintle/source"],
    banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' },
    logLevel: "warning",
  });
  const registry = await startRegistryServer();
  const published = new Map<string, string>();
  let runs = 0;
  return {
    async publish(name, bundles, versions) {
      const known = published.get(name);
      if (known !== undefined) return known;
      const at = `${registry.host}/${name}`;
      for (const [version, files] of bundles) await pushFiles(`${at}/bundles/test:v${version}`, files, {});
      const text = createCatalog(versions).map((blob) => JSON.stringify(blob).replaceAll("example.com/bundles/", `${at}/bundles/`));
      const files = new Map([["configs/catalog.json", Buffer.from(text.join("\n"))]]);
      await pushFiles(`${at}/catalog:v1`, files, { "operators.operatorframework.io.index.configs.v1": "/configs" });
      published.set(name, `${at}/catalog:v1`);
      return `${at}/catalog:v1`;
    },
    startManagers(cluster, schedule) {
      const cache = path.join(folder, String(++runs));
      mkdirSync(cache);
      return startProcesses(cluster, schedule, program, cache);
    },
    async [Symbol.asyncDispose]() {
      await registry[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function startProcesses(cluster: Cluster, { writesPerProcess }: CrashSchedule, program: string, folder: string): MortalManagers {
  const limits = [...writesPerProcess];
  const problems: string[] = [];
  let [isOver, writes, kills] = [false, 0, 0];
  let current: { readonly child: ChildProcess; readonly ended: Promise<unknown>; left: number } | undefined;
  const kubeconfig = path.join(folder, "kubeconfig");
  const kill = () => {
    current!.child.kill("SIGKILL");
  };
  const gateway = createServer((request, response) => {
    const process = current;
    const isWrite = request.method !== "GET" && request.method !== "HEAD";
    // What was on its way from a process that is gone arrives, or does not.
    if (process === undefined || process.left <= 0) return request.destroy();
    if (!isWrite) return void forward(cluster, request, response);
    writes++;
    // The last write is executed, and the process does not learn of it.
    process.left--;
    if (process.left > 0) return void forward(cluster, request, response);
    kills++;
    return void forward(cluster, request, undefined).finally(kill);
  });
  const startNext = () => {
    if (isOver) return;
    const { port } = gateway.address() as AddressInfo;
    writeFileSync(kubeconfig, JSON.stringify(createKubeconfig(`http://127.0.0.1:${port}`)));
    const args = [
      `--kubeconfig=${kubeconfig}`,
      "--leader-elect",
      "--health-probe-bind-address=0",
      "--webhook-server-port=0",
      "--catalogs-server-addr=127.0.0.1:0",
      `--cache-dir=${path.join(folder, "cache")}`,
    ];
    const child = spawn(process.execPath, [program, ...args], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, POD_NAME: "manager", POD_UID: "1" },
    });
    let text = "";
    child.stderr.on("data", (chunk: Buffer) => (text = (text + chunk.toString()).slice(-10_000)));
    const ended = once(child, "exit").then(([code, signal]) => {
      if (!isOver && signal !== "SIGKILL") problems.push(`a manager ended by itself with ${code}: ${text}`);
      startNext();
    });
    current = { child, ended, left: limits.shift() ?? Number.POSITIVE_INFINITY };
  };
  gateway.listen(0, "127.0.0.1", startNext);
  return {
    get writes() {
      return writes;
    },
    get kills() {
      return kills;
    },
    async stop() {
      isOver = true;
      kill();
      await current!.ended;
      gateway.closeAllConnections();
      gateway.close();
      rmSync(folder, { recursive: true, force: true });
      if (problems.length > 0) throw new Error(problems.join("\n"));
    },
  };
}

/** Sends a request to the API server. Without `response`, the outcome is dropped. */
async function forward(cluster: Cluster, request: IncomingMessage, response: ServerResponse | undefined): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const url = new URL(request.url ?? "/", "http://localhost");
  const query = Object.fromEntries([...url.searchParams.keys()].map((name) => [name, url.searchParams.getAll(name)]));
  const left = new AbortController();
  response?.on("close", () => left.abort());
  const {
    host: _,
    connection: __,
    "content-length": ___,
    "transfer-encoding": ____,
    "accept-encoding": _____,
    ...headers
  } = request.headers;
  try {
    const answer = await cluster.transport.request({
      method: request.method as TransportRequest["method"],
      path: url.pathname,
      query,
      headers: headers as Record<string, string>,
      ...(parts.length === 0 ? {} : { body: JSON.parse(Buffer.concat(parts).toString()) as unknown }),
      signal: left.signal,
      ...(query["watch"] === undefined ? {} : { stream: { idleTimeout: 600_000 } }),
    });
    const sent = Object.entries(answer.headers).filter(([name, value]) => value !== undefined && name !== "content-length");
    response?.writeHead(answer.status, Object.fromEntries(sent) as Record<string, string>);
    response?.flushHeaders();
    for await (const bytes of answer.bytes()) response?.write(bytes);
    response?.end();
  } catch {
    response?.destroy();
  }
}

function createKubeconfig(server: string) {
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "killed",
    contexts: [{ name: "killed", context: { cluster: "killed", user: "killed" } }],
    clusters: [{ name: "killed", cluster: { server } }],
    users: [{ name: "killed", user: {} }],
  };
}
