import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { type Client, createClient, type Transport } from "pintle/client";
import { type Clock, type Random, systemClock } from "pintle/internal/clock";
import type { Logger } from "pintle/internal/controller";
import { ignoreError, runInBackground } from "pintle/internal/errors";
import { isLoopbackUrl } from "pintle/internal/loopback";
import { openServingCertificate, parseListenAddress, serveHealth } from "pintle/internal/manager";
import { type RunningWebhookServer, serveWebhooks, serviceHosts } from "pintle/internal/webhook";
import { createRegistryImageSource, createStoredContents, type ImageSource, startLifecycleManager } from "../manager/index.ts";
import { CatalogStore, createCatalogHandler } from "../serve/index.ts";
import type { ProgramFlags } from "./flags.ts";
import { catalogLabelWebhook, WEBHOOK_PREFIX } from "./label-webhook.ts";
import { acquireLeases, type Leases } from "./leases.ts";
import { watchPullLogins } from "./pull-logins.ts";
import { serveCatalogs } from "./serve-catalogs.ts";

/** Options of `startProgram`. */
export interface RunProgramOptions {
  readonly flags: ProgramFlags;
  readonly transport: Transport;
  readonly logger: Logger;
  /** The environment, for the names of the pod. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Default: `Math.random`. */
  readonly random?: Random | undefined;
  /** Default: registries. */
  readonly images?: ImageSource | undefined;
}

/** A running program. */
export interface RunningProgram {
  readonly catalogPort: number;
  readonly healthPort: number | undefined;
  readonly webhookPort: number | undefined;
  /** Resolves when this process leads and its caches are filled. */
  readonly leading: Promise<void>;
  /** Rejects when the program cannot go on. */
  readonly failed: Promise<never>;
  /** Stops the controllers, gives the leases back and closes all servers. */
  stop(): Promise<void>;
}

const NO_LEASES: Leases = {
  acquired: Promise.resolve(),
  lost: new Promise<never>(() => {}),
  writeGate() {},
  release: async () => {},
};

const WEBHOOK_GRACE_MS = 2_000;
const SERVICE = "catalogd-service";

/**
 * Starts probes, webhook and catalog server, then waits for the leases and starts the controllers. Until it leads, the process has no catalogs and answers
 * 404 for them, as catalogd does.
 */
export async function startProgram(options: RunProgramOptions): Promise<RunningProgram> {
  const { flags, transport, logger, env, clock = systemClock, random = Math.random } = options;
  const closers: (() => Promise<unknown>)[] = [];
  const client = createClient(transport, { clock, random, onWarning: () => {} });
  const deps = { client, clock, random, logger };
  try {
    let webhooks: RunningWebhookServer | undefined;
    const health = await serveHealth(
      flags.healthAddress,
      {},
      { webhooks: () => (flags.certificates === undefined ? undefined : webhooks === undefined ? "not started" : webhooks.check()) },
      logger,
    );
    if (health !== undefined) closers.unshift(() => health.close());
    webhooks = await startWebhooks(options, client);
    if (webhooks !== undefined) closers.unshift(() => webhooks!.close(WEBHOOK_GRACE_MS));
    const folder = join(flags.cacheFolder, "catalogs");
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const store = new CatalogStore(folder);
    const served = await startCatalogServer(options, client, store);
    closers.unshift(served.close);
    const logins = options.images === undefined ? await watchPullLogins({ ...deps, ...readPod(flags, env) }) : undefined;
    if (logins !== undefined) closers.unshift(() => logins.close());
    const images =
      options.images ??
      createRegistryImageSource({
        insecure: (registry) => flags.insecureRegistries.includes(registry) || isLoopbackUrl(`http://${registry}`),
        now: () => clock.now(),
        findLogin: (registry) => logins?.find(registry),
      });
    const leases = flags.leaderElect
      ? acquireLeases({ ...deps, namespace: flags.systemNamespace, identity: chooseIdentity(env), timings: flags.leaseTimings })
      : NO_LEASES;
    closers.unshift(() => leases.release());
    const gated = createClient(gateWrites(transport, leases), { clock, random, onWarning: () => {} });
    let isStopping = false;
    const leading = leases.acquired.then(async () => {
      if (isStopping) return;
      const manager = startLifecycleManager({
        client: gated,
        images,
        catalogs: createStoredContents(store, served.baseUrl),
        gates: flags.gates,
        systemNamespace: flags.systemNamespace,
        logger,
        clock,
        random,
      });
      closers.unshift(() => manager.stop());
      await manager.ready;
      logger.info("Starting workers", { controllers: ["clustercatalog", "clusterextension", "clusterobjectset"] });
    });
    const failed = Promise.race([leases.lost, leading.then(() => new Promise<never>(() => {}))]);
    // The caller may have stopped to wait for it.
    runInBackground(failed, ignoreError);
    return {
      catalogPort: served.port,
      healthPort: health?.port,
      webhookPort: webhooks?.port,
      leading,
      failed,
      async stop() {
        isStopping = true;
        for (const close of closers) await close();
      },
    };
  } catch (error) {
    for (const close of closers) await close();
    throw error;
  }
}

/** Without certificates there is no webhook: the controller sets the label of catalogs in any case. */
async function startWebhooks({ flags, logger, clock = systemClock, random = Math.random }: RunProgramOptions, client: Client) {
  const address = parseListenAddress(flags.webhookAddress);
  const { certificates, systemNamespace } = flags;
  if (address === undefined || certificates === undefined) return undefined;
  return serveWebhooks({
    webhooks: [catalogLabelWebhook],
    resources: [],
    ...address,
    certificates: certificates === "issued" ? { issued: WEBHOOK_PREFIX, namespace: systemNamespace } : certificates,
    hosts: serviceHosts(SERVICE, systemNamespace),
    client,
    clock,
    random,
    log: logger,
    observer: { paths() {}, started() {}, finished() {}, conversionThrew() {}, certificateLoaded() {} },
    signal: new AbortController().signal,
  });
}

async function startCatalogServer(
  { flags, logger, clock = systemClock, random = Math.random }: RunProgramOptions,
  client: Client,
  store: CatalogStore,
) {
  const { certificates, systemNamespace: namespace, externalAddress } = flags;
  const source = certificates === "issued" ? { issued: WEBHOOK_PREFIX, namespace, hosts: serviceHosts(SERVICE, namespace) } : certificates;
  let replace: Awaited<ReturnType<typeof serveCatalogs>>["replaceCertificate"] = () => {};
  const certificate =
    source === undefined ? undefined : await openServingCertificate(source, { client, clock, random, logger }, (pair) => replace(pair));
  const onError = (error: unknown) => logger.error("Failed to serve a catalog", { error });
  const handler = createCatalogHandler(store, { metas: flags.metas, onError });
  const server = await serveCatalogs(handler, parseListenAddress(flags.catalogAddress) ?? { host: undefined, port: 0 }, certificate?.pair);
  replace = server.replaceCertificate;
  return {
    port: server.port,
    baseUrl: `${certificate === undefined ? "http" : "https"}://${externalAddress}`,
    async close() {
      await certificate?.close();
      await server.close();
    },
  };
}

function readPod({ systemNamespace, globalPullSecret }: ProgramFlags, env: RunProgramOptions["env"]) {
  return { namespace: systemNamespace, serviceAccount: env["POD_SERVICE_ACCOUNT"], globalPullSecret };
}

/**
 * In a pod, the same for every start of its container: the one before has ended when the next one starts, so that a container that was killed gets its lease
 * back at once. Elsewhere, unique.
 */
function chooseIdentity({ POD_NAME, POD_UID }: RunProgramOptions["env"]): string {
  return POD_NAME !== undefined && POD_UID !== undefined ? `${POD_NAME}_${POD_UID}` : `${hostname()}_${randomUUID()}`;
}

/** A transport on which nothing is written without the leases. */
function gateWrites(transport: Transport, leases: Leases): Transport {
  return {
    ...transport,
    async request(request) {
      if (request.method === "GET" || request.method === "HEAD") return transport.request(request);
      leases.writeGate();
      return transport.request({
        ...request,
        permit() {
          leases.writeGate();
          request.permit?.();
        },
      });
    },
  };
}
