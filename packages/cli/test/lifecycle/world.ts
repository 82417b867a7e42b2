import { type Cluster, type ClusterOptions, startCluster } from "@pintle/cluster";
import type { BundleFiles } from "@pintle/lifecycle";
import { MetaReader } from "@pintle/lifecycle/internal/fbc";
import {
  type ClusterCatalog,
  ClusterCatalogKind,
  type ClusterExtension,
  ClusterExtensionKind,
  type ClusterObjectSet,
  ClusterObjectSetKind,
  type ExtensionPolicy,
  ExtensionPolicyKind,
  type ImageSource,
  installLifecycleManager,
  type LifecycleManager,
  type LifecycleManagerOptions,
  startLifecycleManager,
} from "@pintle/lifecycle/manager";
import type { Client } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import { Namespace } from "pintle/kinds/core/v1";

/** Images that tests publish, in memory. */
export interface PublishedImages {
  readonly catalogs: Map<string, readonly JsonObject[] | Error>;
  readonly bundles: Map<string, BundleFiles>;
  readonly source: ImageSource;
  /** Images that are signed, with what signs for them. */
  readonly signed: Map<string, { readonly hasSbom: boolean }>;
  /** How often each catalog was pulled. */
  readonly pulls: Map<string, number>;
}

/** Creates an empty registry. */
export function createImages(): PublishedImages {
  const catalogs = new Map<string, readonly JsonObject[] | Error>();
  const bundles = new Map<string, BundleFiles>();
  const pulls = new Map<string, number>();
  const signed = new Map<string, { readonly hasSbom: boolean }>();
  return {
    catalogs,
    signed,
    bundles,
    pulls,
    source: {
      async pullCatalog(reference) {
        pulls.set(reference, (pulls.get(reference) ?? 0) + 1);
        const blobs = catalogs.get(reference);
        if (blobs === undefined) throw new Error(`reading manifest of ${reference}: manifest unknown`);
        if (blobs instanceof Error) throw blobs;
        const text = Buffer.from(blobs.map((blob) => JSON.stringify(blob)).join("\n"));
        return {
          canonicalReference: `${reference.split(":")[0]}@sha256:${"ab".repeat(32)}`,
          unpackedAt: Date.now(),
          *readMetas() {
            const reader = new MetaReader();
            for (const { meta } of [...reader.push(text), ...reader.end()]) yield meta;
          },
          async [Symbol.asyncDispose]() {},
        };
      },
      async pullBundle(reference) {
        const files = bundles.get(reference);
        if (files === undefined) throw new Error(`reading manifest of ${reference}: manifest unknown`);
        return files;
      },
      async verifyImage(reference) {
        const found = signed.get(reference);
        const reasons = found === undefined && bundles.has(reference) ? ["sha256-1.sig is not signed by the key"] : [];
        return { reference, isSigned: found !== undefined, hasSbom: found?.hasSbom === true, reasons };
      },
      async readFolder(folder) {
        const files = bundles.get(folder);
        if (files === undefined) throw new Error(`no such folder: ${folder}`);
        return files;
      },
    },
  };
}

/** An embedded cluster with a lifecycle manager. */
export interface World extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly images: PublishedImages;
  /** Starts a manager, after the last one was stopped. */
  startManager(options?: Partial<LifecycleManagerOptions>): Promise<LifecycleManager>;
  createCatalog(name: string, spec?: Partial<ClusterCatalog["spec"]>): Promise<ClusterCatalog>;
  createExtension(name: string, catalog?: object, spec?: object): Promise<ClusterExtension>;
  createPolicy(spec?: object, name?: string): Promise<ExtensionPolicy>;
  waitForExtension(name: string, until: (extension: ClusterExtension) => boolean): Promise<ClusterExtension>;
  waitForCatalog(name: string, until: (catalog: ClusterCatalog) => boolean): Promise<ClusterCatalog>;
  waitForRevision(name: string, until: (revision: ClusterObjectSet) => boolean): Promise<ClusterObjectSet>;
}

const WAIT = { timeout: 30_000 };

/** Starts a cluster with the CRDs of the manager and the namespace `ops`. */
export async function createWorld(options: ClusterOptions = {}): Promise<World> {
  const cluster = await startCluster(options);
  const client = cluster.client();
  const images = createImages();
  await installLifecycleManager(client);
  await client.create(Namespace, { metadata: { name: "ops" } });
  const managers: LifecycleManager[] = [];
  return {
    cluster,
    client,
    images,
    async startManager(options = {}) {
      const manager = startLifecycleManager({ client, images: images.source, ...options });
      managers.push(manager);
      await manager.ready;
      return manager;
    },
    createCatalog: (name, spec = {}) =>
      client.create(ClusterCatalogKind, {
        metadata: { name },
        spec: { source: { type: "Image", image: { ref: `example.com/${name}:latest` } }, ...spec },
      }),
    createExtension: (name, catalog = {}, spec = {}) =>
      client.create(ClusterExtensionKind, {
        metadata: { name },
        spec: { namespace: "ops", source: { sourceType: "Catalog", catalog: { packageName: "test", ...catalog } }, ...spec },
      }),
    createPolicy: (spec = {}, name = "op") =>
      client.create(ExtensionPolicyKind, { metadata: { name }, spec: { extensionName: "op", ...spec } }),
    waitForExtension: (name, until) => waitFor(client, ClusterExtensionKind, name, until),
    waitForCatalog: (name, until) => waitFor(client, ClusterCatalogKind, name, until),
    waitForRevision: (name, until) => waitFor(client, ClusterObjectSetKind, name, until),
    async [Symbol.asyncDispose]() {
      for (const manager of managers) await manager.stop();
      await cluster.stop();
    },
  };
}

type KindOf<T> = T extends ClusterCatalog
  ? typeof ClusterCatalogKind
  : T extends ClusterExtension
    ? typeof ClusterExtensionKind
    : typeof ClusterObjectSetKind;

/** Says what the object was like if the wait fails. */
async function waitFor<T extends ClusterCatalog | ClusterExtension | ClusterObjectSet>(
  client: Client,
  kind: KindOf<T>,
  name: string,
  until: (object: T) => boolean,
): Promise<T> {
  let last: unknown;
  const check = (object: unknown) => {
    last = (object as { readonly status?: unknown }).status;
    return until(object as T);
  };
  return client.waitFor(kind as typeof ClusterExtensionKind, { name }, check, WAIT).catch((error: unknown) => {
    throw new Error(`${String(error)}; last status of ${name}: ${JSON.stringify(last, undefined, 1)}`);
  }) as unknown as Promise<T>;
}

/** A condition as `status/reason: message`; "none" if it is not set. */
export function conditionOf({ status }: { readonly status?: { readonly conditions?: readonly Condition[] } }, type: string): string {
  const found = status?.conditions?.find((condition) => condition.type === type);
  return found === undefined ? "none" : `${found.status}/${found.reason}: ${found.message}`;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}
