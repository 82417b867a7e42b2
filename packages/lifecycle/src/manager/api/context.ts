import type { Client } from "pintle/client";
import type { Cache, CachedView } from "pintle/internal/cache";
import type { Clock, Random } from "pintle/internal/clock";
import type { Logger } from "pintle/internal/controller";
import type { WorkQueue } from "pintle/internal/queue";
import type { CatalogContents, ImageSource } from "./sources.ts";

/** Optional features, under the names of upstream's feature gates. */
export interface ManagerGates {
  /** Extensions can watch one namespace. Default: false. */
  readonly SingleOwnNamespaceInstallSupport?: boolean;
  /** Extensions can change the Deployment of an operator. Default: false. */
  readonly DeploymentConfig?: boolean;
  /** Bundles have a release of their own. Default: false. */
  readonly BundleReleaseSupport?: boolean;
  /** Certificates of webhooks come from cert-manager. Default: true. */
  readonly WebhookProviderCertManager?: boolean;
  /** Certificates of webhooks come from the service CA of OpenShift, unless from cert-manager. Default: true. */
  readonly WebhookProviderOpenshiftServiceCA?: boolean;
}

/** What every controller of the manager needs. Writes of the client are visible in the cache at once. */
export interface ManagerContext {
  readonly client: Client;
  /** A client that acts as a ServiceAccount. Writes are visible in the cache, too. */
  readonly clientOf: (account: { readonly namespace: string; readonly name: string }) => Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly images: ImageSource;
  readonly catalogs: CatalogContents;
  readonly gates: ManagerGates;
  readonly systemNamespace: string;
}

/** A running controller. */
export interface RunningController {
  /** Resolves when the caches are filled and objects are reconciled. */
  readonly ready: Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts a queue once its caches are filled. */
export function runController(work: WorkQueue, views: readonly CachedView<any>[]): RunningController {
  return {
    ready: Promise.all(views.map((view) => view.waitForSync())).then(() => work.start()),
    async stop() {
      await work.stop(0);
      await Promise.all(views.map((view) => view.close()));
    },
  };
}
