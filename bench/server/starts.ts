import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { binary, startControlPlane } from "../../conformance/real/index.ts";
import { startChild } from "../harness/process/child-program.ts";
import { computeSpread } from "../harness/results/spread.ts";
import type { Row, Table } from "../harness/results/table.ts";
import type { ServerSizes } from "./sizes.ts";

/** The cost of a start in milliseconds. */
export interface StartCost {
  readonly wall: number;
  readonly cpu: number;
}

const dist = fileURLToPath(new URL("../../packages/cluster/dist/index.js", import.meta.url));

/** Measures the start of a control plane: in a new process, without the start of Node itself, and in a process that already has had one. */
export async function measureStartups({ starts: runs, realStarts }: ServerSizes): Promise<Table> {
  const folder = await mkdtemp(join(tmpdir(), "pintle-start-"));
  const kubeconfig = join(folder, "kubeconfig");
  const reportCpu = `const { user, system } = process.cpuUsage(); process.stdout.write(String((user + system) / 1000));`;
  const serverScript = (options: object) =>
    `const { startCluster } = await import(${JSON.stringify(`file://${dist}`)});
     const cluster = await startCluster(${JSON.stringify(options)});
     await cluster.writeKubeconfig(${JSON.stringify(kubeconfig)}); ${reportCpu} process.stdin.on("end", () => process.exit()).resume();`;
  const node: StartCost[] = [];
  const apiServer: StartCost[] = [];
  const controlPlane: StartCost[] = [];
  const kubectl: number[] = [];
  try {
    for (let run = 0; run < runs; run++) {
      node.push(await startUntilReady(reportCpu));
      apiServer.push(await startUntilReady(serverScript({ http: true, without: true }), () => runKubectl(kubeconfig, folder, kubectl)));
      controlPlane.push(await startUntilReady(serverScript({ http: true })));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const repeated = startChild(new URL("repeated-starts.ts", import.meta.url), [String(runs * 2)]);
  const { without, complete } = await repeated.receive<{
    readonly without: readonly StartCost[];
    readonly complete: readonly StartCost[];
  }>();
  await repeated.stop();
  const subtractNode = (costs: readonly StartCost[]) =>
    costs.map(({ wall, cpu }, run) => ({ wall: wall - node[run]!.wall, cpu: cpu - node[run]!.cpu }));
  const createRow = (name: string, side: string, costs: readonly StartCost[]): Row => ({
    case: name,
    side,
    figures: { time: computeSpread(costs.map(({ wall }) => wall)), CPU: computeSpread(costs.map(({ cpu }) => cpu)) },
  });
  const real = { time: computeSpread(await measureRealStarts(realStarts)) };
  return {
    title: "Control plane start",
    columns: [
      { name: "time", unit: "ms", better: "lower", digits: 1 },
      { name: "CPU", unit: "ms", better: "lower", digits: 1 },
    ],
    rows: [
      createRow("Node alone", "node", node),
      createRow("API server, without Node's own start", "pintle", subtractNode(apiServer)),
      createRow("control plane, without Node's own start", "pintle", subtractNode(controlPlane)),
      createRow("another API server in the same process", "pintle", without),
      createRow("another control plane in the same process", "pintle", complete),
      { case: "first kubectl get namespaces", side: "pintle", figures: { time: computeSpread(kubectl) } },
      { case: "kube-apiserver and etcd", side: "kube-apiserver", figures: real },
    ],
  };
}

/** Starts a process, waits until it prints its CPU time, and calls `use` before stopping it. */
async function startUntilReady(script: string, use: () => Promise<void> = async () => {}): Promise<StartCost> {
  const started = performance.now();
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["pipe", "pipe", "inherit"] });
  const [cpu] = await once(child.stdout, "data");
  const wall = performance.now() - started;
  await use();
  const exited = once(child, "exit");
  child.stdin.end();
  await exited;
  return { wall, cpu: Number(cpu) };
}

async function runKubectl(kubeconfig: string, cache: string, times: number[]): Promise<void> {
  const started = performance.now();
  const args = ["--kubeconfig", kubeconfig, "--cache-dir", join(cache, String(times.length)), "get", "namespaces", "--no-headers"];
  const { stdout } = await promisify(execFile)(binary("kubectl"), args);
  if (!stdout.includes("default")) throw new Error(`kubectl did not list the namespaces: ${stdout}`);
  times.push(performance.now() - started);
}

async function measureRealStarts(runs: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const started = performance.now();
    const plane = await startControlPlane();
    times.push(performance.now() - started);
    await plane.stop();
  }
  return times;
}
