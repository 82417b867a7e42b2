import net from "node:net";
import { Duplex } from "node:stream";
import type { Sandbox } from "../runtime/driver.ts";
import type { Guard } from "../runtime/guard.ts";
import { startProcess } from "../runtime/process.ts";

/** In the pod's network: what comes in goes to the port, and the other way round. Says "!" first when it is connected. */
const BRIDGE = `const socket = require("node:net").connect({ host: "127.0.0.1", port: Number(process.argv[1]), allowHalfOpen: true }, () => {
  process.stdout.write("!");
  process.stdin.pipe(socket).pipe(process.stdout);
});
socket.on("error", (error) => { process.stderr.write(error.message); process.exit(1); });
socket.on("close", () => process.exit(0));`;

/** A connection to a port of a pod: at its address, or at its own loopback where it has one. */
export async function connectTo(sandbox: Sandbox, port: number, guard: Guard): Promise<Duplex> {
  try {
    return await direct(sandbox.address, port);
  } catch (error) {
    if (sandbox.inNetwork === undefined || (error as NodeJS.ErrnoException).code !== "ECONNREFUSED") throw error;
    return bridged(sandbox.inNetwork([process.execPath, "-e", BRIDGE, String(port)]), guard);
  }
}

function direct(host: string, port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port, allowHalfOpen: true });
    socket.once("connect", () => resolve(socket));
    socket.once("error", reject);
  });
}

async function bridged(spawn: Parameters<typeof startProcess>[0], guard: Guard): Promise<Duplex> {
  const bridge = await startProcess(spawn, guard);
  const first = new Promise<void>((resolve, reject) => {
    bridge.stderr.once("data", (why: Buffer) => reject(new Error(why.toString())));
    bridge.stdout.once("readable", () => {
      if (bridge.stdout.read(1) === null) reject(new Error("it hung up"));
      else resolve();
    });
  });
  await first;
  const both = Duplex.from({ readable: bridge.stdout, writable: bridge.stdin });
  both.once("close", () => bridge.signalAll("SIGKILL"));
  return both;
}
