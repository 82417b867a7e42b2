import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { PersistentVolume, Service } from "pintle/kinds/core/v1";
import { EndpointSlice } from "pintle/kinds/discovery/v1";
import type { Part, Plant } from "../../controllers/index.ts";
import { sources } from "./environment/sources.ts";
import type { Ground } from "./ground.ts";
import { imageStore } from "./image/image-store.ts";
import { type ProcessNode, processNode } from "./process-node.ts";
import { CAPACITY } from "./registration.ts";
import { podAddresses } from "./runtime/pod-addresses.ts";
import { directory } from "./service/directory.ts";
import { dns } from "./service/dns.ts";
import { proxy } from "./service/proxy.ts";
import type { Site } from "./site.ts";
import { tokens } from "./volume/tokens.ts";

export interface ProcessNodesFacts {
  readonly kubeletVersion: string;
  readonly leaseSeconds: number;
  /** Where the kubelet's port of its only node is served, for API servers of other processes. */
  readonly kubeletPort?: number | undefined;
}

export interface ProcessNodes extends Part {
  readonly nodes: readonly ProcessNode[];
}

/** The nodes of one machine, with what they share: addresses, services, names. Works on any cluster. */
export function processNodes(plant: Omit<Plant, "authority">, site: Site, facts: ProcessNodesFacts): ProcessNodes {
  const { client, cache, clock, random, events } = plant;
  const { folder, networks, guard, isRoot } = site;
  const services = cache.watch(Service);
  const slices = cache.watch(EndpointSlice);
  const volumes = cache.watch(PersistentVolume);
  const addresses = podAddresses(networks.pods);
  const names = directory({
    services,
    slices,
    // With an address in its arguments instead of a name, a pod has to know where the others will be.
    ...(networks.mode === "loopback"
      ? { promised: (host, service, namespace) => addresses.promised(`${namespace}/${service}/${host}`) }
      : {}),
  });
  const driver = site.driver((name, namespace) => names.lookup(name, namespace)?.[0]);
  const images = imageStore({ table: site.images, folder: path.join(folder, "images"), mayChown: isRoot });
  const shared: Omit<Ground, "node" | "faults"> = {
    client,
    clock,
    events,
    root: folder,
    driver,
    guard,
    images,
    addresses,
    directory: names,
    sources: sources(client),
    tokens: tokens(client, clock),
    isRoot,
    oomKilled: new Set(),
    pulls: new Map(),
  };
  const nodes = Array.from({ length: site.count }, (_, i) => {
    const name = `node-${i + 1}`;
    const ground: Ground = {
      ...shared,
      node: { name, allocatable: CAPACITY },
      faults: { isLost: false, slow: new Map(), room: new Map() },
    };
    return processNode(cache, ground, { name, address: driver.hostAddress, ...facts });
  });
  const offVolumes = volumes.on(({ old, new: seen }) => {
    if (seen === undefined && old !== undefined)
      void rm(path.join(folder, "volumes", old.metadata.name), { recursive: true, force: true }).catch(() => {});
  });
  let stopServing = async () => {};
  return {
    name: "process nodes",
    nodes,
    ready: (async () => {
      await Promise.all([services.synced(), slices.synced(), volumes.synced()]);
      const running = proxy({
        directory: names,
        random,
        hold: (address) => driver.hold(address),
        release: (address) => driver.release(address),
        refused: (service, message) =>
          events.announce({ component: "kube-proxy", kind: Service, object: service, type: "Warning", reason: "FailedToListen", message }),
      });
      const answering = networks.mode === "namespaces" ? await dns(driver.hostAddress, names) : undefined;
      stopServing = async () => {
        await running.stop();
        await answering?.stop();
      };
      await Promise.all(nodes.map((node) => node.ready));
      await forgetOthers(path.join(folder, "pods"), new Set(nodes.flatMap(({ workers }) => [...workers.keys()])));
      await forgetOthers(path.join(folder, "volumes"), new Set(volumes.list().map(({ metadata }) => metadata.name)));
    })(),
    async stop() {
      offVolumes();
      await Promise.all(nodes.map((node) => node.stop()));
      await stopServing();
      await Promise.all([services.close(), slices.close(), volumes.close()]);
    },
  };
}

/** Folders of what went while no node was there. */
async function forgetOthers(folder: string, known: ReadonlySet<string>): Promise<void> {
  const all = await readdir(folder).catch(() => []);
  await Promise.all(all.filter((name) => !known.has(name)).map((name) => rm(path.join(folder, name), { recursive: true, force: true })));
}
