import { readdir } from "node:fs/promises";
import path from "node:path";
import { ignoreError, runInBackground } from "pintle/internal/errors";
import { PersistentVolume, Service } from "pintle/kinds/core/v1";
import { EndpointSlice } from "pintle/kinds/discovery/v1";
import type { ControllerContext, ControlPlaneComponent } from "../../controllers/index.ts";
import { createConfigSources } from "./environment/config-sources.ts";
import type { ProcessHost } from "./host/process-host.ts";
import { removeFolder } from "./host/remove-folder.ts";
import { createImageManager } from "./image/image-manager.ts";
import type { NodeContext } from "./node-context.ts";
import { CAPACITY } from "./node-status.ts";
import { type ProcessNode, startProcessNode } from "./process-node.ts";
import { createPodAddressAllocator } from "./runtime/pod-address-allocator.ts";
import { startDnsServer } from "./service-network/dns-server.ts";
import { startKubeProxy } from "./service-network/kube-proxy.ts";
import { createServiceDirectory } from "./service-network/service-directory.ts";
import { createTokenManager } from "./volume/token-manager.ts";

export interface ProcessNodesSettings {
  readonly kubeletVersion: string;
  readonly leaseSeconds: number;
  /** The kubelet port of the only node, for API servers in other processes. Default: none. */
  readonly kubeletPort?: number | undefined;
}

export interface ProcessNodes extends ControlPlaneComponent {
  readonly nodes: readonly ProcessNode[];
}

/** Starts the nodes of one machine with what they share: address allocation, kube-proxy and DNS. Works on any cluster. */
export function startProcessNodes(
  context: Omit<ControllerContext, "authority" | "fetchOpenApi">,
  host: ProcessHost,
  settings: ProcessNodesSettings,
): ProcessNodes {
  const { client, cache, clock, random, events, createWorkQueue } = context;
  const { folder, addressRanges, guard, isRoot } = host;
  const services = cache.watch(Service);
  const slices = cache.watch(EndpointSlice);
  const volumes = cache.watch(PersistentVolume);
  const addresses = createPodAddressAllocator(addressRanges.pods);
  const serviceDirectory = createServiceDirectory({
    services,
    slices,
    // In loopback mode, names in arguments are replaced by addresses, so the address of a pod must be known before it is created.
    ...(addressRanges.mode === "loopback"
      ? { reserveAddress: (host, service, namespace) => addresses.reserveForName(`${namespace}/${service}/${host}`) }
      : {}),
  });
  const driver = host.createDriver((name, namespace) => serviceDirectory.resolveName(name, namespace)?.[0]);
  const images = createImageManager({ table: host.images, folder: path.join(folder, "images"), mayChown: isRoot });
  const shared: Omit<NodeContext, "node" | "faults"> = {
    client,
    clock,
    events,
    createWorkQueue,
    root: folder,
    driver,
    guard,
    images,
    addresses,
    serviceDirectory,
    configSources: createConfigSources(client),
    tokens: createTokenManager(client, clock),
    isRoot,
    oomKilled: new Set(),
    pullBackOffs: new Map(),
  };
  const nodes = Array.from({ length: host.count }, (_, i) => {
    const name = `node-${i + 1}`;
    const nodeContext: NodeContext = {
      ...shared,
      node: { name, allocatable: CAPACITY },
      faults: { isDisconnected: false, startDelays: new Map(), diskSpace: new Map() },
    };
    return startProcessNode(cache, nodeContext, { name, address: driver.hostAddress, ...settings });
  });
  const removeVolumeHandler = volumes.addEventHandler(({ old, new: current }) => {
    if (current === undefined && old !== undefined)
      runInBackground(removeFolder(path.join(folder, "volumes", old.metadata.name)), ignoreError);
  });
  // `ready` below awaits them later and reports their failure.
  for (const { ready } of nodes) runInBackground(ready, ignoreError);
  let stopNetwork = async () => {};
  return {
    name: "process nodes",
    nodes,
    ready: (async () => {
      await Promise.all([services.waitForSync(), slices.waitForSync(), volumes.waitForSync()]);
      const kubeProxy = startKubeProxy({
        serviceDirectory,
        random,
        assignAddress: (address) => driver.assignAddress(address),
        unassignAddress: (address) => driver.unassignAddress(address),
        onListenFailure: (service, message) =>
          events.record({ component: "kube-proxy", kind: Service, object: service, type: "Warning", reason: "FailedToListen", message }),
      });
      const dnsServer = addressRanges.mode === "namespaces" ? await startDnsServer(driver.hostAddress, serviceDirectory) : undefined;
      stopNetwork = async () => {
        await kubeProxy.stop();
        await dnsServer?.stop();
      };
      await Promise.all(nodes.map((node) => node.ready));
      await removeUnknownFolders(path.join(folder, "pods"), new Set(nodes.flatMap(({ workers }) => [...workers.keys()])));
      await removeUnknownFolders(path.join(folder, "volumes"), new Set(volumes.list().map(({ metadata }) => metadata.name)));
    })(),
    async stop() {
      removeVolumeHandler();
      await Promise.all(nodes.map((node) => node.stop()));
      await stopNetwork();
      await Promise.all([services.close(), slices.close(), volumes.close()]);
    },
  };
}

/** Deletes folders of pods and volumes that were deleted while no node was running. */
async function removeUnknownFolders(folder: string, knownNames: ReadonlySet<string>): Promise<void> {
  const all = await readdir(folder).catch(() => []);
  // What cannot be deleted now is deleted at the next start.
  await Promise.all(all.filter((name) => !knownNames.has(name)).map((name) => removeFolder(path.join(folder, name)).catch(ignoreError)));
}
