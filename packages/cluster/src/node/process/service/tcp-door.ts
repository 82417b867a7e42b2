import net from "node:net";
import type { Backend } from "./directory.ts";
import type { Door } from "./proxy.ts";

/** Leads every connection to a backend. */
export async function tcpDoor(address: string, port: number, choose: (from: string) => Backend | undefined): Promise<Door> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (client) => {
    sockets.add(client);
    client.once("close", () => sockets.delete(client));
    client.on("error", () => client.destroy());
    connect(client, choose(client.remoteAddress ?? ""));
  });
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => resolve());
  });
  return {
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function connect(client: net.Socket, backend: Backend | undefined): void {
  // Nobody is behind it: refused, as far as a connection that stands already can be.
  if (backend === undefined) return void client.resetAndDestroy();
  const server = net.connect({ host: backend.address, port: backend.port, allowHalfOpen: true });
  server.on("error", () => client.resetAndDestroy());
  client.on("close", () => server.destroy());
  server.on("close", () => client.destroySoon());
  client.pipe(server);
  server.pipe(client);
}
