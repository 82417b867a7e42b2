import type { Service } from "pintle/kinds/core/v1";
import type { Random } from "pintle/queue";
import type { Backend, Directory } from "./directory.ts";
import { type Entrance, entrancesOf, unserved } from "./entrance.ts";
import { tcpDoor } from "./tcp-door.ts";
import { udpDoor } from "./udp-door.ts";

export interface ProxyFacts {
  readonly directory: Directory;
  readonly random: Random;
  /** Makes an address one of this machine's, where it is not by itself. */
  hold(address: string): Promise<void>;
  release(address: string): Promise<void>;
  /** A port of a service that cannot be listened at. */
  refused(service: Service, why: string): void;
}

/** What listens at an entrance. */
export interface Door {
  close(): Promise<void>;
}

const DOORS = { TCP: tcpDoor, UDP: udpDoor };

/** Leads whoever comes to a service's address to one of the pods behind it. */
export function proxy({ directory, random, hold, release, refused }: ProxyFacts) {
  const doors = new Map<string, Door>();
  /** What was said already; a service that is made anew is tried anew. */
  const failed = new Set<string>();
  const held = new Map<string, Promise<void>>();
  let work = Promise.resolve();
  let stopped = false;

  const open = async ({ key, service, protocol, address, port, portName, isOwn }: Entrance) => {
    if (isOwn && !held.has(address)) held.set(address, hold(address));
    await held.get(address);
    const choose = (from: string) => {
      // As it is now, not as it was when the service came.
      const now = directory.services.get(service.metadata) ?? service;
      return pick(directory.backends(now, portName), now, from);
    };
    doors.set(key, await DOORS[protocol](address, port, choose));
  };
  const close = async (key: string) => {
    const door = doors.get(key);
    doors.delete(key);
    await door?.close();
  };
  const pick = (backends: readonly Backend[], service: Service, from: string) => {
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
    await Promise.all([...doors.keys()].filter((key) => !wanted.has(key)).map(close));
    for (const [key, entrance] of wanted) {
      if (doors.has(key) || failed.has(key)) continue;
      await open(entrance).catch((error: NodeJS.ErrnoException) => {
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

function whyNot({ code, message }: NodeJS.ErrnoException, { address, port }: Entrance): string {
  if (code === "EACCES")
    return `cannot listen at ${address}:${port}: ports below 1024 need root, or a lower net.ipv4.ip_unprivileged_port_start; use a higher port`;
  return `cannot listen at ${address}:${port}: ${message}`;
}
