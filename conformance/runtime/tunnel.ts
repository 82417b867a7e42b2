import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A way to a server that can go dark: connections stay open and can be made, and no byte passes. */
export interface Tunnel {
  /** A kubeconfig that leads through it. */
  readonly kubeconfig: string;
  dark(on: boolean): void;
  /** Ends every connection there is. */
  cut(): void;
  close(): Promise<void>;
}

export async function tunnel(kubeconfig: string, server: string): Promise<Tunnel> {
  const { port, hostname } = new URL(server);
  const sockets = new Set<Socket>();
  let isDark = false;
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from);
    // What is sent into the dark is lost for this connection: as with a router that forgot it.
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
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const folder = mkdtempSync(join(tmpdir(), "pintle-tunnel-"));
  const path = join(folder, "kubeconfig");
  const through = `https://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  writeFileSync(path, readFileSync(kubeconfig, "utf8").replaceAll(server, through));
  return {
    kubeconfig: path,
    dark(on) {
      isDark = on;
    },
    cut,
    async close() {
      cut();
      rmSync(folder, { recursive: true, force: true });
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
