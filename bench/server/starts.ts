import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { binary, startControlPlane } from "../../conformance/real/index.ts";
import { spread } from "../frame/spread.ts";
import type { Row, Table } from "../frame/table.ts";
import { child } from "./child.ts";
import type { Sizes } from "./sizes.ts";

export interface Ready {
  readonly wall: number;
  readonly cpu: number;
}

const dist = fileURLToPath(new URL("../../packages/cluster/dist/index.js", import.meta.url));

/** Until a control plane answers: in a process of its own, beyond Node itself, and one more in a process that had one. */
export async function starts({ starts: runs, realStarts }: Sizes): Promise<Table> {
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
    for (let run = 0; run < runs; run++) {
      node.push(await untilReady(say));
      alone.push(await untilReady(serve({ http: true, without: true }), () => ask(kubeconfig, folder, kubectl)));
      whole.push(await untilReady(serve({ http: true })));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const again = child("isolated.ts", [String(runs * 2)]);
  const { without, complete } = await again.message<{ readonly without: readonly Ready[]; readonly complete: readonly Ready[] }>();
  await again.stop();
  const wallOf = (ready: readonly Ready[]) => spread(ready.map(({ wall }) => wall));
  const cpuOf = (ready: readonly Ready[]) => spread(ready.map(({ cpu }) => cpu));
  const beyond = (ready: readonly Ready[]) =>
    ready.map(({ wall, cpu }, run) => ({ wall: wall - node[run]!.wall, cpu: cpu - node[run]!.cpu }));
  const row = (name: string, side: string, ready: readonly Ready[]): Row => ({
    case: name,
    side,
    figures: { time: wallOf(ready), CPU: cpuOf(ready) },
  });
  const real = { time: spread(await realTimes(realStarts)) };
  return {
    title: "Starts of a control plane",
    columns: [
      { name: "time", unit: "ms", better: "less", digits: 1 },
      { name: "CPU", unit: "ms", better: "less", digits: 1 },
    ],
    rows: [
      row("Node alone", "node", node),
      row("API server, beyond Node", "pintle", beyond(alone)),
      row("whole control plane, beyond Node", "pintle", beyond(whole)),
      row("one more API server in the process", "pintle", without),
      row("one more control plane in the process", "pintle", complete),
      { case: "the first kubectl get namespaces", side: "pintle", figures: { time: spread(kubectl) } },
      { case: "API server and etcd", side: "kube-apiserver", figures: real },
    ],
  };
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

async function realTimes(runs: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const started = performance.now();
    const plane = await startControlPlane();
    times.push(performance.now() - started);
    await plane.stop();
  }
  return times;
}
