import net from "node:net";
import { Duplex } from "node:stream";
import type { PodSandbox } from "../runtime/isolation-driver.ts";
import { startProcess } from "../runtime/process.ts";
import type { ProcessGuard } from "../runtime/process-guard.ts";

/** Runs in the pod's network: pipes stdin and stdout to the port. Writes "!" when it is connected. */
const BRIDGE_SCRIPT = `const socket = require("node:net").connect({ host: "127.0.0.1", port: Number(process.argv[1]), allowHalfOpen: true }, () => {
  process.stdout.write("!");
  process.stdin.pipe(socket).pipe(process.stdout);
});
socket.on("error", (error) => { process.stderr.write(error.message); process.exit(1); });
socket.on("close", () => process.exit(0));`;

/** Connects to a port of a pod: at its address, or at the loopback address of its network namespace. */
export async function connectToPodPort(sandbox: PodSandbox, port: number, guard: ProcessGuard): Promise<Duplex> {
  try {
    return await connectDirectly(sandbox.address, port);
  } catch (error) {
    if (sandbox.buildNetworkExec === undefined || (error as NodeJS.ErrnoException).code !== "ECONNREFUSED") throw error;
    return connectThroughNetwork(sandbox.buildNetworkExec([process.execPath, "-e", BRIDGE_SCRIPT, String(port)]), guard);
  }
}

function connectDirectly(host: string, port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port, allowHalfOpen: true });
    socket.once("connect", () => resolve(socket));
    socket.once("error", reject);
  });
}

async function connectThroughNetwork(spawn: Parameters<typeof startProcess>[0], guard: ProcessGuard): Promise<Duplex> {
  const bridge = await startProcess(spawn, guard);
  const connected = new Promise<void>((resolve, reject) => {
    bridge.stderr.once("data", (message: Buffer) => reject(new Error(message.toString())));
    bridge.stdout.once("readable", () => {
      if (bridge.stdout.read(1) === null) reject(new Error("connection closed"));
      else resolve();
    });
  });
  await connected;
  const duplex = Duplex.from({ readable: bridge.stdout, writable: bridge.stdin });
  duplex.once("close", () => bridge.signalAll("SIGKILL"));
  return duplex;
}
