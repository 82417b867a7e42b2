import net from "node:net";
import type { Service } from "pintle/kinds/core/v1";
import type { Random } from "pintle/queue";
import type { Directory } from "./directory.ts";
import { type Entrance, entrancesOf, unserved } from "./entrance.ts";

export interface ProxyFacts {
  readonly directory: Directory;
  readonly random: Random;
  /** Makes an address one of this machine's, where it is not by itself. */
  hold(address: string): Promise<void>;
  release(address: string): Promise<void>;
  /** A port of a service that cannot be listened at. */
  refused(service: Service, why: string): void;
}

interface Entry {
  readonly server: net.Server;
  readonly sockets: Set<net.Socket>;
}

/** Leads every connection to a service's address to one of the pods behind it. TCP only. */
export function proxy({ directory, random, hold, release, refused }: ProxyFacts) {
  const entries = new Map<string, Entry>();
  /** What was said already; a service that is made anew is tried anew. */
  const failed = new Set<string>();
  const held = new Map<string, Promise<void>>();
  let work = Promise.resolve();
  let stopped = false;

  const listen = async ({ key, service, address, port, portName, isOwn }: Entrance) => {
    if (isOwn && !held.has(address)) held.set(address, hold(address));
    await held.get(address);
    const sockets = new Set<net.Socket>();
    const server = net.createServer({ allowHalfOpen: true }, (client) => {
      sockets.add(client);
      client.once("close", () => sockets.delete(client));
      client.on("error", () => client.destroy());
      // As it is now, not as it was when the service came.
      const now = directory.services.get(service.metadata) ?? service;
      connect(client, pick(directory.backends(now, portName), now, client.remoteAddress ?? ""));
    });
    server.unref();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, address, () => resolve());
    });
    entries.set(key, { server, sockets });
  };
  const close = async (key: string) => {
    const entry = entries.get(key);
    entries.delete(key);
    for (const socket of entry?.sockets ?? []) socket.destroy();
    await new Promise<void>((resolve) => (entry === undefined ? resolve() : entry.server.close(() => resolve())));
  };
  const pick = (backends: readonly { readonly address: string; readonly port: number }[], service: Service, from: string) => {
    if (service.spec.sessionAffinity !== "ClientIP") return backends[Math.floor(random() * backends.length)];
    const sum = [...from].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) >>> 0, 7);
    return backends[sum % Math.max(backends.length, 1)];
  };
  const update = async () => {
    const services = stopped ? [] : directory.services.list();
    const wanted = new Map(services.flatMap(entrancesOf).map((entrance) => [entrance.key, entrance]));
    for (const service of services) {
      const why = unserved(service);
      if (why !== "" && !failed.has(`${service.metadata.uid} ${why}`)) refused(service, why);
      if (why !== "") failed.add(`${service.metadata.uid} ${why}`);
    }
    await Promise.all([...entries.keys()].filter((key) => !wanted.has(key)).map(close));
    for (const [key, entrance] of wanted) {
      if (entries.has(key) || failed.has(key)) continue;
      await listen(entrance).catch((error: NodeJS.ErrnoException) => {
        failed.add(key);
        refused(entrance.service, whyNot(error, entrance));
      });
    }
    const addresses = new Set([...wanted.values()].map(({ address }) => address));
    for (const address of [...held.keys()].filter((each) => !addresses.has(each))) {
      held.delete(address);
      await release(address).catch(() => {});
    }
  };
  const soon = () => {
    work = work.then(update).catch(() => {});
  };
  const off = directory.services.on(soon);
  return {
    async stop(): Promise<void> {
      stopped = true;
      off();
      soon();
      await work;
    },
  };
}

function connect(client: net.Socket, backend: { readonly address: string; readonly port: number } | undefined): void {
  // Nobody is behind it: refused, as far as a connection that stands already can be.
  if (backend === undefined) return void client.resetAndDestroy();
  const server = net.connect({ host: backend.address, port: backend.port, allowHalfOpen: true });
  server.on("error", () => client.resetAndDestroy());
  client.on("close", () => server.destroy());
  server.on("close", () => client.destroySoon());
  client.pipe(server);
  server.pipe(client);
}

function whyNot({ code, message }: NodeJS.ErrnoException, { address, port }: Entrance): string {
  if (code === "EACCES")
    return `cannot listen at ${address}:${port}: ports below 1024 need root, or a lower net.ipv4.ip_unprivileged_port_start; use a higher port`;
  return `cannot listen at ${address}:${port}: ${message}`;
}
