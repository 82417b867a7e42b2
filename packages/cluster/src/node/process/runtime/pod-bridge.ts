import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ignoreError, runInBackground } from "pintle/internal/errors";
import { type NodeProcess, startProcess } from "./process.ts";
import type { ProcessGuard } from "./process-guard.ts";

/** The bridge that connects all pods and the machine. It is in a network namespace of its own and is removed when its holder process ends. */
export interface PodBridge {
  /** The process whose network namespace contains the bridge. */
  readonly pid: number;
  /** The interface on the machine. */
  readonly device: string;
  readonly gateway: string;
  close(): Promise<void>;
}

const BRIDGE_SCRIPT = "ip link set lo up && ip link add br0 type bridge && ip link set br0 up && echo ready && exec sleep infinity";

export async function createPodBridge(network: string, guard: ProcessGuard): Promise<PodBridge> {
  const device = `pt${guard.mark.slice(0, 10)}`;
  const gateway = `${network}.0.1`;
  await runHostCommand("ip", ["link", "del", device]).catch(() => {});
  const holder = await startNamespaceHolder(["--net", "sh", "-c", BRIDGE_SCRIPT], guard);
  const steps = `ip link add ${device} type veth peer name up0 netns ${holder.pid}
nsenter -t ${holder.pid} -n ip link set up0 master br0 up
ip addr add ${gateway}/16 dev ${device}
ip link set ${device} up`;
  await runHostCommand("sh", ["-ec", steps]);
  return {
    pid: holder.pid,
    device,
    gateway,
    async close() {
      await runHostCommand("ip", ["link", "del", device]).catch(() => {});
      holder.signalAll("SIGKILL");
      await holder.exit;
    },
  };
}

/** Runs a command of the machine; throws with its stderr. */
export async function runHostCommand(command: string, args: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)(command, [...args])).stdout;
  } catch (error) {
    const { stderr, message } = error as { readonly stderr?: string; readonly message: string };
    throw new Error(stderr === undefined || stderr === "" ? message : stderr.trim());
  }
}

/** Starts a process that only holds namespaces. Resolves when they are ready. */
export async function startNamespaceHolder(unshare: readonly string[], guard: ProcessGuard): Promise<NodeProcess> {
  const env = { PATH: process.env["PATH"] ?? "/usr/sbin:/usr/bin:/sbin:/bin" };
  const holder = await startProcess({ command: "unshare", args: unshare, env, cwd: "/" }, guard);
  holder.stdin.end();
  let stderr = "";
  holder.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ready = new Promise<void>((resolve) => holder.stdout.once("data", () => resolve()));
  const failed = holder.exit.then(() => {
    throw new Error(`cannot create namespaces: ${stderr.trim()}`);
  });
  await Promise.race([ready, failed]);
  runInBackground(failed, ignoreError);
  return holder;
}
