import dgram from "node:dgram";
import net from "node:net";
import { runInBackground } from "pintle/internal/errors";
import type { ProxySocket } from "./kube-proxy.ts";
import type { ServiceBackend } from "./service-directory.ts";

/** How long an idle client keeps its backend. Milliseconds. */
const IDLE_TIMEOUT = 30_000;

interface UdpFlow {
  send(datagram: Uint8Array): void;
  close(): void;
}

/** Opens a UDP frontend that forwards the datagrams of each client to one backend, and the replies back. */
export async function openUdpProxySocket(
  address: string,
  port: number,
  choose: (from: string) => ServiceBackend | undefined,
): Promise<ProxySocket> {
  const frontend = dgram.createSocket("udp4");
  const flows = new Map<string, UdpFlow>();
  frontend.on("message", (datagram, client) => {
    const key = `${client.address}:${client.port}`;
    const existing = flows.get(key) ?? startFlow(key, choose(client.address), (reply) => frontend.send(reply, client.port, client.address));
    existing?.send(datagram);
  });
  await new Promise<void>((resolve, reject) => {
    frontend.once("error", reject);
    frontend.bind(port, address, resolve);
  });
  // A datagram that cannot be delivered is lost.
  frontend.on("error", () => {});
  frontend.unref();

  function startFlow(key: string, backend: ServiceBackend | undefined, reply: (datagram: Uint8Array) => void): UdpFlow | undefined {
    if (backend === undefined) return undefined;
    const socket = dgram.createSocket("udp4");
    let idle: NodeJS.Timeout | undefined;
    const close = () => {
      if (flows.get(key) !== flow) return;
      flows.delete(key);
      clearTimeout(idle);
      socket.close();
    };
    const resetIdleTimer = () => {
      clearTimeout(idle);
      idle = setTimeout(close, IDLE_TIMEOUT).unref();
    };
    const connected = new Promise<void>((resolve) => socket.once("connect", () => resolve()));
    const flow: UdpFlow = {
      send(datagram) {
        resetIdleTimer();
        const sent = connected.then(() => flows.get(key) === flow && socket.send(datagram));
        // The backend no longer listens: the datagram is lost.
        runInBackground(sent, close);
      },
      close,
    };
    flows.set(key, flow);
    socket.on("message", (datagram) => {
      resetIdleTimer();
      reply(datagram);
    });
    // The backend no longer listens: the next datagram chooses another one.
    socket.on("error", close);
    socket.connect(backend.port, backend.address);
    socket.unref();
    return flow;
  }
  return {
    async close() {
      for (const flow of [...flows.values()]) flow.close();
      await new Promise<void>((resolve) => frontend.close(() => resolve()));
    },
  };
}

/** Opens a TCP frontend that forwards every connection to a backend. */
export async function openTcpProxySocket(
  address: string,
  port: number,
  choose: (from: string) => ServiceBackend | undefined,
): Promise<ProxySocket> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (client) => {
    sockets.add(client);
    client.once("close", () => sockets.delete(client));
    client.on("error", () => client.destroy());
    connectToBackend(client, choose(client.remoteAddress ?? ""));
  });
  server.unref();
  await new Promise<void>((resolve, reject) => {
    // Stays: an error event without a listener, such as a connection that cannot be accepted, would end the process.
    server.on("error", reject);
    server.listen(port, address, () => resolve());
  });
  return {
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function connectToBackend(client: net.Socket, backend: ServiceBackend | undefined): void {
  // No backend: reset, the closest to a refused connection that is possible after the accept.
  if (backend === undefined) return void client.resetAndDestroy();
  const server = net.connect({ host: backend.address, port: backend.port, allowHalfOpen: true });
  server.on("error", () => client.resetAndDestroy());
  client.on("close", () => server.destroy());
  server.on("close", () => client.destroySoon());
  client.pipe(server);
  server.pipe(client);
}
