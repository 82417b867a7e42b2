import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The arguments of Node that run the manager from its source. */
const FROM_SOURCE = () => ["--conditions=@pintle/source", "--import", import.meta.resolve("tsx"), PROGRAM];
const PROGRAM = fileURLToPath(new URL("../../packages/lifecycle/src/bin.ts", import.meta.url));

/** The lifecycle manager as a process of this machine, with the identity of a pod whose container is restarted. */
export interface ManagerProcess {
  /** Starts the process and resolves when it leads. */
  start(): Promise<void>;
  /** Ends it with a signal and resolves when it has ended. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** Undefined before the first start. */
  readonly pid: number | undefined;
}

/**
 * Prepares a process on a cluster. Catalogs are served on the loopback interface. `program` are the arguments of Node that run the manager; default: from its
 * source.
 */
export async function createManagerProcess(
  kubeconfig: string,
  cacheFolder: string,
  program: readonly string[] = FROM_SOURCE(),
): Promise<ManagerProcess> {
  const port = await findFreePort();
  const address = `127.0.0.1:${port}`;
  const args = [
    `--kubeconfig=${kubeconfig}`,
    "--leader-elect",
    "--health-probe-bind-address=0",
    "--webhook-server-port=0",
    `--catalogs-server-addr=${address}`,
    `--external-address=${address}`,
    `--cache-dir=${path.join(cacheFolder, "cache")}`,
  ];
  let child: ChildProcess | undefined;
  return {
    get pid() {
      return child?.pid;
    },
    async start() {
      const started = spawn(process.execPath, [...program, ...args], {
        stdio: ["ignore", "ignore", "pipe"],
        env: { ...process.env, POD_NAME: "manager", POD_UID: "1" },
      });
      child = started;
      await new Promise<void>((resolve, reject) => {
        let text = "";
        started.stderr.on("data", (chunk: Buffer) => {
          text = (text + chunk.toString()).slice(-100_000);
          if (text.includes("Starting workers")) resolve();
        });
        started.once("exit", (code) => reject(new Error(`the manager exited with ${code}: ${text}`)));
      });
    },
    async end(signal) {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
