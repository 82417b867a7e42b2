import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/**
 * Returns ports that are free now. All are held until the last is found, so they differ; but
 * another process may take one before our program does: callers must be ready to retry.
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
