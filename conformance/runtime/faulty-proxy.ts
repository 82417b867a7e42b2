import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A TCP proxy to a server that can simulate a network partition: connections stay open and are accepted, but no bytes pass. */
export interface FaultyProxy {
  /** A kubeconfig that connects through the proxy. */
  readonly kubeconfig: string;
  setBlackhole(on: boolean): void;
  /** Closes every open connection. */
  resetConnections(): void;
  close(): Promise<void>;
}

export async function startFaultyProxy(kubeconfig: string, server: string): Promise<FaultyProxy> {
  const { port, hostname } = new URL(server);
  const sockets = new Set<Socket>();
  let isDark = false;
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from);
    // Bytes sent during the partition are lost for this connection, as with a router that dropped its state.
    let lost = false;
    from.on("data", (bytes) => {
      lost ||= isDark;
      if (!lost) to.write(bytes);
    });
    from.on("close", () => {
      sockets.delete(from);
      if (!lost && !isDark) to.destroy();
    });
    from.on("error", () => {});
  };
  const listener = createServer((near) => {
    const far = connect(Number(port), hostname);
    pass(near, far);
    pass(far, near);
  });
  const resetConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const folder = mkdtempSync(join(tmpdir(), "pintle-proxy-"));
  const path = join(folder, "kubeconfig");
  const through = `https://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  writeFileSync(path, readFileSync(kubeconfig, "utf8").replaceAll(server, through));
  return {
    kubeconfig: path,
    setBlackhole(on) {
      isDark = on;
    },
    resetConnections,
    async close() {
      resetConnections();
      rmSync(folder, { recursive: true, force: true });
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
