import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

/** A way to a server that counts what comes back, and that can be cut. */
export interface Pipe {
  /** A kubeconfig that leads through it. */
  readonly kubeconfig: string;
  /** Bytes from the server so far. */
  read(): number;
  /** Ends every connection there is. */
  cut(): void;
  close(): Promise<void>;
}

export async function pipe(kubeconfig: string, server: string): Promise<Pipe> {
  const { port, hostname } = new URL(server);
  const sockets = new Set<Socket>();
  let bytes = 0;
  const listener = createServer((near) => {
    const far = connect(Number(port), hostname);
    far.on("data", (chunk) => {
      bytes += chunk.length;
    });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-bench-pipe-"));
  const file = path.join(folder, "kubeconfig");
  const through = `https://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  writeFileSync(file, readFileSync(kubeconfig, "utf8").replaceAll(server, through));
  return {
    kubeconfig: file,
    read: () => bytes,
    cut,
    async close() {
      cut();
      rmSync(folder, { recursive: true, force: true });
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
