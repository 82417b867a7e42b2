import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { full } from "../sampling.ts";
import { binaries, binary } from "./binaries.ts";
import type { Program } from "./build/recipes.ts";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";

const run = promisify(execFile);
const here = dirname(fileURLToPath(import.meta.url));
const minute = 60_000;

/** Warns loudly when programs are missing: a skipped test proves nothing. */
function needs(...programs: readonly Program[]): boolean {
  const missing = programs.filter((program) => binaries().missing.includes(program));
  if (missing.length > 0) console.warn(`\n!!! SKIPPED: no ${missing.join(", ")} in ${binaries().folder}. Run: npm run real:build\n`);
  return missing.length === 0;
}

const started: ControlPlane[] = [];
async function start(options?: ControlPlaneOptions): Promise<ControlPlane> {
  const real = await startControlPlane(options);
  started.push(real);
  return real;
}
afterEach(async () => {
  await Promise.all(started.splice(0).map((real) => real.stop()));
});

async function kubectl(real: { readonly kubeconfig: string }, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run(binary("kubectl"), ["--kubeconfig", real.kubeconfig, ...args]);
  return stdout.trim();
}

/** Every program of a control plane, and its supervisor, has the folder in its command line. */
async function processesOf(dir: string): Promise<readonly string[]> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,args="]);
  return stdout.split("\n").filter((line) => line.includes(dir));
}

async function expectNothingLeft(dir: string): Promise<void> {
  expect(await processesOf(dir)).toEqual([]);
  expect(existsSync(dir)).toBe(false);
}

describe.skipIf(!needs("etcd", "kube-apiserver", "kubectl"))("a real control plane", { timeout: 3 * minute }, () => {
  it("runs beside another one, and stopping leaves no process or file of either", async () => {
    const [one, two] = await Promise.all([start(), start()]);
    for (const real of [one, two]) {
      expect(await kubectl(real, "get", "--raw", "/readyz")).toBe("ok");
      expect(await processesOf(real.dir)).toHaveLength(3); // etcd, kube-apiserver, their supervisor
    }
    await kubectl(one, "create", "configmap", "only-in-one");
    expect(await kubectl(two, "get", "configmaps", "-o", "name")).toBe("");

    await Promise.all([one.stop(), two.stop()]);
    await expectNothingLeft(one.dir);
    await expectNothingLeft(two.dir);
  });

  it("rejects with the server's log when the server does not start", async () => {
    const failure = start({ serverFlags: ["--no-such-flag"] });
    await expect(failure).rejects.toThrow(/kube-apiserver ended \(exit code 1\).*unknown flag: --no-such-flag/s);
  });

  it("stops during the start when its signal aborts", async () => {
    const reason = new Error("changed my mind");
    const caller = new AbortController();
    const failure = start({ signal: caller.signal });
    caller.abort(reason);
    await expect(failure).rejects.toBe(reason);
  });

  it("aborts `lost` when a program is killed", async () => {
    const real = await start();
    const etcd = (await processesOf(real.dir)).find((line) => line.includes("--listen-client-urls"));
    process.kill(Number.parseInt(etcd ?? "", 10), "SIGKILL");
    await vi.waitFor(() => expect(real.lost.reason).toMatchObject({ program: "etcd" }));
    await real.stop();
    await expectNothingLeft(real.dir);
  });

  it("survives a killed API server, which restarts on the same port with all data", async () => {
    const real = await start();
    await kubectl(real, "create", "configmap", "kept");
    await real.killServer();
    await real.killServer();
    await expect(kubectl(real, "get", "configmaps")).rejects.toThrow("refused");
    await real.startServer();
    expect(await kubectl(real, "get", "configmap", "kept", "-o", "name")).toBe("configmap/kept");
    expect(real.lost.aborted).toBe(false);
  });

  it("leaves no process or file when its supervisor is killed -9", async () => {
    const real = await start();
    const supervisor = (await processesOf(real.dir)).find((line) => line.includes("supervise.mjs"));
    process.kill(Number.parseInt(supervisor ?? "", 10), "SIGKILL");
    await vi.waitFor(() => expectNothingLeft(real.dir), { timeout: 30_000, interval: 100 });
  });
});

describe.skipIf(!needs("etcd", "kube-apiserver", "kubectl"))("real:up", { timeout: 3 * minute }, () => {
  async function runUp(...args: readonly string[]) {
    const child = spawn(process.execPath, ["--conditions=@pintle/source", "--import", "tsx", "up.ts", "-o", "json", ...args], {
      cwd: here,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    return { child, ...(JSON.parse(line) as { kubeconfig: string; server: string; pid: number }) };
  }

  it("runs until SIGTERM, then leaves no process or file", async () => {
    const { child, kubeconfig } = await runUp("--no-controller-manager");
    expect(await kubectl({ kubeconfig }, "get", "--raw", "/readyz")).toBe("ok");
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
    await expectNothingLeft(dirname(kubeconfig));
  });

  it.runIf(full)("--nodes: a @pintle/cluster node runs pods and serves their logs and exec", async () => {
    const { child, kubeconfig } = await runUp("--nodes");
    const real = { kubeconfig };
    expect(await kubectl(real, "get", "nodes", "-o", "jsonpath={.items[*].status.nodeInfo.containerRuntimeVersion}")).toBe("simulated://1");
    await kubectl(real, "create", "deployment", "web", "--image=web");
    await kubectl(real, "wait", "deployment/web", "--for=condition=Available", "--timeout=60s");
    expect(await kubectl(real, "logs", "deployment/web")).toContain("runs web, simulated");
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
    await expectNothingLeft(dirname(kubeconfig));
  });

  it("leaves no process or file when it is killed -9", async () => {
    const { pid, kubeconfig } = await runUp("--no-controller-manager");
    expect(await kubectl({ kubeconfig }, "get", "--raw", "/readyz")).toBe("ok");
    process.kill(pid, "SIGKILL");
    await vi.waitFor(() => expectNothingLeft(dirname(kubeconfig)), { timeout: 30_000, interval: 100 });
  });
});

describe.skipIf(!needs("kube-controller-manager", "kube-scheduler", "kwok"))("simulated nodes", { timeout: 3 * minute }, () => {
  it("run the pods of a Deployment", async () => {
    const real = await start({ nodes: 2 });
    await kubectl(real, "create", "deployment", "web", "--image=web", "--replicas=3");
    await kubectl(real, "wait", "deployment/web", "--for=condition=Available", "--timeout=60s");
    expect(await kubectl(real, "get", "pods", "-o", "jsonpath={.items[*].status.phase}")).toBe("Running Running Running");

    await appendFile(real.podLog, `${new Date().toISOString()} stdout F hello\n`);
    expect(await kubectl(real, "logs", "deployment/web")).toBe("hello");
    expect(await kubectl(real, "exec", "deployment/web", "--", "echo", "hello")).toBe("hello");
    await expect(kubectl(real, "exec", "deployment/web", "--", "sh", "-c", "exit 3")).rejects.toMatchObject({ code: 3 });
  });
});
