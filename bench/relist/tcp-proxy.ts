import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

/** A TCP proxy in front of an API server that counts received bytes and can close its connections. */
export interface TcpProxy {
  /** The path of a kubeconfig whose server is the proxy. */
  readonly kubeconfig: string;
  /** Bytes received from the API server so far. */
  receivedBytes(): number;
  /** Closes every open connection. */
  closeConnections(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(kubeconfig: string, server: string): Promise<TcpProxy> {
  const { port, hostname } = new URL(server);
  const sockets = new Set<Socket>();
  let bytes = 0;
  const listener = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    upstream.on("data", (chunk) => {
      bytes += chunk.length;
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
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
  const closeConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-bench-proxy-"));
  const file = path.join(folder, "kubeconfig");
  const proxyUrl = `https://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  writeFileSync(file, readFileSync(kubeconfig, "utf8").replaceAll(server, proxyUrl));
  return {
    kubeconfig: file,
    receivedBytes: () => bytes,
    closeConnections,
    async close() {
      closeConnections();
      rmSync(folder, { recursive: true, force: true });
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
