import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/**
 * Ports nobody listens on now. They are all held until the last is found, so they differ; but
 * another process may take one before our program does: be ready to try again.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listen));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

async function listen() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
