import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Guard } from "../guard.ts";
import { type Process, startProcess } from "../process.ts";

/** The cable between all pods of a machine and the machine itself. It is in a namespace of its own: when its holder ends, it is gone. */
export interface Router {
  /** The process whose network namespace has the bridge. */
  readonly pid: number;
  /** The machine's own end. */
  readonly device: string;
  readonly gateway: string;
  close(): Promise<void>;
}

const HOLD = "ip link set lo up && ip link add br0 type bridge && ip link set br0 up && echo ready && exec sleep infinity";

export async function router(network: string, guard: Guard): Promise<Router> {
  const device = `pt${guard.mark.slice(0, 10)}`;
  const gateway = `${network}.0.1`;
  await run("ip", ["link", "del", device]).catch(() => {});
  const holder = await held(["--net", "sh", "-c", HOLD], guard);
  const steps = `ip link add ${device} type veth peer name up0 netns ${holder.pid}
nsenter -t ${holder.pid} -n ip link set up0 master br0 up
ip addr add ${gateway}/16 dev ${device}
ip link set ${device} up`;
  await run("sh", ["-ec", steps]);
  return {
    pid: holder.pid,
    device,
    gateway,
    async close() {
      await run("ip", ["link", "del", device]).catch(() => {});
      holder.signalAll("SIGKILL");
      await holder.exit;
    },
  };
}

/** Runs a command of the machine's; throws with what it said. */
export async function run(command: string, args: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)(command, [...args])).stdout;
  } catch (error) {
    const { stderr, message } = error as { readonly stderr?: string; readonly message: string };
    throw new Error(stderr === undefined || stderr === "" ? message : stderr.trim());
  }
}

/** A process that does nothing but hold namespaces, once it says that they are ready. */
export async function held(unshare: readonly string[], guard: Guard): Promise<Process> {
  const env = { PATH: process.env["PATH"] ?? "/usr/sbin:/usr/bin:/sbin:/bin" };
  const holder = await startProcess({ command: "unshare", args: unshare, env, cwd: "/" }, guard);
  holder.stdin.end();
  let said = "";
  holder.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ready = new Promise<void>((resolve) => holder.stdout.once("data", () => resolve()));
  const failed = holder.exit.then(() => {
    throw new Error(`namespaces could not be made: ${said.trim()}`);
  });
  await Promise.race([ready, failed]);
  failed.catch(() => {});
  return holder;
}
