import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { binary, startControlPlane } from "../../conformance/real/index.ts";
import { child } from "./child.ts";
import { type Spread, spread, spreadText } from "./statistics.ts";

/** Milliseconds: of wall time, and of CPU time, which holds on a busy machine too. */
export interface Starts {
  /** Node itself, from the start of the process until its first line of output. */
  readonly node: Spread;
  /** The same until the cluster serves HTTPS and its kubeconfig is written, minus Node itself. */
  readonly process: Spread;
  readonly processCpu: Spread;
  readonly processWithControllers: Spread;
  /** `kubectl get namespaces` right then, whose caches are cold. */
  readonly kubectl: Spread;
  /** One more cluster in a process that had one. */
  readonly isolated: Spread;
  readonly isolatedCpu: Spread;
  readonly isolatedWithControllers: Spread;
  /** etcd and kube-apiserver, until /readyz says so. */
  readonly real: Spread;
}

export interface Ready {
  readonly wall: number;
  readonly cpu: number;
}

const RUNS = 9;
const dist = fileURLToPath(new URL("../../packages/cluster/dist/index.js", import.meta.url));

export async function starts(): Promise<Starts> {
  const folder = await mkdtemp(join(tmpdir(), "pintle-start-"));
  const kubeconfig = join(folder, "kubeconfig");
  const say = `const { user, system } = process.cpuUsage(); process.stdout.write(String((user + system) / 1000));`;
  const serve = (options: object) =>
    `const { startCluster } = await import(${JSON.stringify(`file://${dist}`)});
     const cluster = await startCluster(${JSON.stringify(options)});
     await cluster.writeKubeconfig(${JSON.stringify(kubeconfig)}); ${say} process.stdin.on("end", () => process.exit()).resume();`;
  const node: Ready[] = [];
  const alone: Ready[] = [];
  const whole: Ready[] = [];
  const kubectl: number[] = [];
  try {
    for (let run = 0; run < RUNS; run++) {
      node.push(await untilReady(say));
      alone.push(await untilReady(serve({ http: true, without: true }), () => ask(kubeconfig, folder, kubectl)));
      whole.push(await untilReady(serve({ http: true })));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const again = child("isolated.ts");
  const { without, complete } = await again.message<{ readonly without: readonly Ready[]; readonly complete: readonly Ready[] }>();
  await again.stop();
  const result: Starts = {
    node: spread(node.map(({ wall }) => wall)),
    process: spread(alone.map(({ wall }, run) => wall - node[run]!.wall)),
    processCpu: spread(alone.map(({ cpu }, run) => cpu - node[run]!.cpu)),
    processWithControllers: spread(whole.map(({ wall }, run) => wall - node[run]!.wall)),
    kubectl: spread(kubectl),
    isolated: spread(without.map(({ wall }) => wall)),
    isolatedCpu: spread(without.map(({ cpu }) => cpu)),
    isolatedWithControllers: spread(complete.map(({ wall }) => wall)),
    real: spread(await realStarts()),
  };
  const names: Record<keyof Starts, string> = {
    node: "Node alone",
    process: "pintle, API server, beyond Node",
    processCpu: "the same, CPU time",
    processWithControllers: "pintle, whole control plane, beyond Node",
    kubectl: "kubectl get namespaces, the first one",
    isolated: "one more API server in the process",
    isolatedCpu: "the same, CPU time",
    isolatedWithControllers: "one more control plane in the process",
    real: "etcd + kube-apiserver",
  };
  console.table((Object.keys(names) as (keyof Starts)[]).map((name) => ({ start: names[name], ms: spreadText(result[name], 1) })));
  return result;
}

/** From the start of a process until it says so; then `use` may use it. */
async function untilReady(script: string, use: () => Promise<void> = async () => {}): Promise<Ready> {
  const started = performance.now();
  const running = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["pipe", "pipe", "inherit"] });
  const [cpu] = await once(running.stdout, "data");
  const wall = performance.now() - started;
  await use();
  const exited = once(running, "exit");
  running.stdin.end();
  await exited;
  return { wall, cpu: Number(cpu) };
}

async function ask(kubeconfig: string, cache: string, times: number[]): Promise<void> {
  const started = performance.now();
  const args = ["--kubeconfig", kubeconfig, "--cache-dir", join(cache, String(times.length)), "get", "namespaces", "--no-headers"];
  const { stdout } = await promisify(execFile)(binary("kubectl"), args);
  if (!stdout.includes("default")) throw new Error(`kubectl does not see the namespaces: ${stdout}`);
  times.push(performance.now() - started);
}

async function realStarts(): Promise<readonly number[]> {
  const times: number[] = [];
  for (let run = 0; run < 3; run++) {
    const started = performance.now();
    const plane = await startControlPlane();
    times.push(performance.now() - started);
    await plane.stop();
  }
  return times;
}
