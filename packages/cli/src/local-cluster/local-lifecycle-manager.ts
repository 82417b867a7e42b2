import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Cluster } from "@pintle/cluster";
import { isLoopbackUrl } from "pintle/internal/loopback";
import { CommandError } from "../command/index.ts";

/**
 * Runs a lifecycle manager beside an embedded cluster, in this process. Catalogs are served on the loopback interface. Returns the cluster, whose `stop`
 * also stops the manager.
 */
export async function startLocalLifecycleManager(cluster: Cluster): Promise<Cluster> {
  const { CatalogStore, createCatalogHandler, readBundleFolder } = await import("@pintle/lifecycle");
  const { createRegistryImageSource, createStoredContents, installLifecycleManager, startLifecycleManager } = await import(
    "@pintle/lifecycle/manager"
  );
  const client = cluster.client();
  await installLifecycleManager(client);
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-catalogs-"));
  const store = new CatalogStore(folder);
  const server = createServer(createCatalogHandler(store));
  await new Promise<void>((resolve, reject) => void server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const manager = startLifecycleManager({
    client,
    images: createRegistryImageSource({
      insecure: (registry) => isLoopbackUrl(`http://${registry}`),
      readFolder: async (folder) => readBundleFolder(resolveInside(process.cwd(), folder)),
    }),
    catalogs: createStoredContents(store, `http://127.0.0.1:${port}`),
  });
  await manager.ready;
  const stop = async () => {
    await manager.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
    await cluster.stop();
  };
  return Object.create(cluster, { stop: { value: stop }, [Symbol.asyncDispose]: { value: stop } }) as Cluster;
}

/** A folder of a policy, which must be below the one in which the cluster was started. */
function resolveInside(root: string, folder: string): string {
  const resolved = path.resolve(root, folder);
  const relative = path.relative(root, resolved);
  if (!path.isAbsolute(relative) && relative !== ".." && !relative.startsWith(`..${path.sep}`)) return resolved;
  throw new CommandError("PINTLE7123", `folder ${folder} is outside of ${root}, where the cluster was started`);
}
