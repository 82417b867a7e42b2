import { type Client, createClient } from "pintle/client";
import { createCache, createWriteThroughClient } from "pintle/internal/cache";
import { type Clock, type Random, systemClock } from "pintle/internal/clock";
import { type Logger, silentLogger } from "pintle/internal/controller";
import { createMemoryContents } from "./api/catalog-contents.ts";
import type { ManagerContext, ManagerGates } from "./api/context.ts";
import { SYSTEM_NAMESPACE } from "./api/names.ts";
import type { CatalogContents, ImageSource } from "./api/sources.ts";
import { startCatalogController } from "./catalogs/catalog-controller.ts";
import { startExtensionController } from "./extensions/extension-controller.ts";
import { startObjectSetController } from "./object-sets/object-set-controller.ts";

/** Options of `startLifecycleManager`. */
export interface LifecycleManagerOptions {
  /** A client of the cluster, which is not closed by `stop`. */
  readonly client: Client;
  /** Where catalogs and bundles come from. */
  readonly images: ImageSource;
  /** Where the content of catalogs is kept. Default: in memory. */
  readonly catalogs?: CatalogContents | undefined;
  /** Optional features. Default: those of upstream. */
  readonly gates?: ManagerGates | undefined;
  /** The namespace of the Secrets with the objects of revisions. It must exist. Default: "olmv1-system". */
  readonly systemNamespace?: string | undefined;
  /** Default: nothing is logged. */
  readonly logger?: Logger | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Source of jitter. Default: `Math.random`. */
  readonly random?: Random | undefined;
}

/** A running lifecycle manager. */
export interface LifecycleManager {
  /** Resolves when the caches are filled and objects are reconciled. */
  readonly ready: Promise<void>;
  /** The content of the catalogs. */
  readonly catalogs: CatalogContents;
  /** Waits for running work and closes all watches. */
  stop(): Promise<void>;
}

/** Where the content of catalogs is served inside a cluster. */
const CATALOG_SERVICE = `https://catalogd-service.${SYSTEM_NAMESPACE}.svc`;

/**
 * Starts the controllers of ClusterCatalog, ClusterExtension and ClusterObjectSet. The CRDs and the system namespace must exist; see
 * `installLifecycleManager`.
 *
 * @example
 * ```ts
 * import { createFolderImageSource, installLifecycleManager, startLifecycleManager } from "@pintle/lifecycle/manager";
 * import { connect } from "pintle/client";
 *
 * const client = await connect();
 * await installLifecycleManager(client);
 * const images = createFolderImageSource((reference) => (reference.includes("catalog") ? "catalog" : "bundle"), Date.now);
 * const manager = startLifecycleManager({ client, images });
 * await manager.ready;
 * ```
 */
export function startLifecycleManager(options: LifecycleManagerOptions): LifecycleManager {
  const { client, images, clock = systemClock, random = Math.random, logger = silentLogger } = options;
  const cache = createCache({ client, clock, random });
  const context: ManagerContext = {
    client: createWriteThroughClient(client, cache),
    clientOf: (account) => createWriteThroughClient(impersonateServiceAccount(client, account), cache),
    cache,
    clock,
    random,
    logger,
    images,
    catalogs: options.catalogs ?? createMemoryContents(CATALOG_SERVICE),
    gates: options.gates ?? {},
    systemNamespace: options.systemNamespace ?? SYSTEM_NAMESPACE,
  };
  const extensions = startExtensionController(context);
  const controllers = [startCatalogController(context, extensions.reconcileAll), startObjectSetController(context), extensions];
  return {
    ready: Promise.all(controllers.map(({ ready }) => ready)).then(() => {}),
    catalogs: context.catalogs,
    async stop() {
      await Promise.all(controllers.map((controller) => controller.stop()));
      await cache.stop();
    },
  };
}

/** A client that sends its requests as a ServiceAccount, over the connections of another client. Closing it closes nothing. */
function impersonateServiceAccount(client: Client, { namespace, name }: { readonly namespace: string; readonly name: string }): Client {
  const headers = { "impersonate-user": `system:serviceaccount:${namespace}:${name}` };
  return createClient({
    request: (request) => client.request({ ...request, headers: { ...request.headers, ...headers } }),
    close: async () => {},
  });
}
