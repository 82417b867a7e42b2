import type { Random } from "pintle/internal/clock";
import type { Service } from "pintle/kinds/core/v1";
import { openTcpProxySocket, openUdpProxySocket } from "./proxy-sockets.ts";
import type { ServiceBackend, ServiceDirectory } from "./service-directory.ts";
import { describeUnservedPorts, listServiceFrontends, type ServiceFrontend } from "./service-frontend.ts";

export interface KubeProxyOptions {
  readonly serviceDirectory: ServiceDirectory;
  readonly random: Random;
  /** Assigns an address to this machine, if necessary. */
  assignAddress(address: string): Promise<void>;
  unassignAddress(address: string): Promise<void>;
  /** Called for a service port that cannot be served. */
  onListenFailure(service: Service, reason: string): void;
}

/** A listening socket for a frontend. */
export interface ProxySocket {
  close(): Promise<void>;
}

const OPEN_PROXY_SOCKET = { TCP: openTcpProxySocket, UDP: openUdpProxySocket };

/** Starts the proxy that forwards connections from the addresses of Services to their endpoints. */
export function startKubeProxy({ serviceDirectory, random, assignAddress, unassignAddress, onListenFailure }: KubeProxyOptions) {
  const sockets = new Map<string, ProxySocket>();
  /** Failures that were already reported. A Service that is created again is tried again. */
  const failed = new Set<string>();
  const assigned = new Map<string, Promise<void>>();
  let work = Promise.resolve();
  let stopped = false;

  const open = async ({ key, service, protocol, address, port, portName, isClusterIp }: ServiceFrontend) => {
    if (isClusterIp && !assigned.has(address)) assigned.set(address, assignAddress(address));
    await assigned.get(address);
    const choose = (from: string) => {
      // The current Service, not the one at the time of the listen call.
      const now = serviceDirectory.services.get(service.metadata) ?? service;
      return chooseBackend(serviceDirectory.listBackends(now, portName), now, from);
    };
    sockets.set(key, await OPEN_PROXY_SOCKET[protocol](address, port, choose));
  };
  const close = async (key: string) => {
    const socket = sockets.get(key);
    sockets.delete(key);
    await socket?.close();
  };
  const chooseBackend = (backends: readonly ServiceBackend[], service: Service, from: string) => {
    if (service.spec.sessionAffinity !== "ClientIP") return backends[Math.floor(random() * backends.length)];
    const sum = [...from].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) >>> 0, 7);
    return backends[sum % Math.max(backends.length, 1)];
  };
  const update = async () => {
    const services = stopped ? [] : serviceDirectory.services.list();
    const desired = new Map(services.flatMap(listServiceFrontends).map((frontend) => [frontend.key, frontend]));
    for (const service of services) {
      const reason = describeUnservedPorts(service);
      if (reason !== "" && !failed.has(`${service.metadata.uid} ${reason}`)) onListenFailure(service, reason);
      if (reason !== "") failed.add(`${service.metadata.uid} ${reason}`);
    }
    await Promise.all([...sockets.keys()].filter((key) => !desired.has(key)).map(close));
    for (const [key, frontend] of desired) {
      if (sockets.has(key) || failed.has(key)) continue;
      await open(frontend).catch((error: NodeJS.ErrnoException) => {
        failed.add(key);
        onListenFailure(frontend.service, formatListenError(error, frontend));
      });
    }
    const addresses = new Set([...desired.values()].map(({ address }) => address));
    for (const address of [...assigned.keys()].filter((each) => !addresses.has(each))) {
      assigned.delete(address);
      await unassignAddress(address).catch(() => {});
    }
  };
  const scheduleUpdate = () => {
    work = work.then(update).catch(() => {});
  };
  const removeHandler = serviceDirectory.services.addEventHandler(scheduleUpdate);
  return {
    async stop(): Promise<void> {
      stopped = true;
      removeHandler();
      scheduleUpdate();
      await work;
    },
  };
}

function formatListenError({ code, message }: NodeJS.ErrnoException, { address, port }: ServiceFrontend): string {
  if (code === "EACCES")
    return `cannot listen on ${address}:${port}: ports below 1024 require root, or a lower net.ipv4.ip_unprivileged_port_start; use a higher port`;
  return `cannot listen on ${address}:${port}: ${message}`;
}
