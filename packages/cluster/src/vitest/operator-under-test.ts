import { type Controller, createLogger, type Manager, type ManagerOptions, startManager } from "pintle";
import type { Client } from "pintle/client";
import { systemClock } from "pintle/internal/clock";
import { PintleError } from "pintle/internal/errors";
import { collectResources } from "pintle/internal/manager";
import { buildWebhookConfigurations, describeWebhooks, serveWebhooks, webhookNames } from "pintle/internal/webhook";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { createCertificateAuthority } from "pintle/tls";
import type { Cluster } from "../index.ts";
import { installOperator, OPERATOR_NAMESPACE, OPERATOR_USER, WEBHOOK_SERVICE } from "./install-operator.ts";

/** The operator under test: the options of `run()`, except those that the cluster determines. */
export interface OperatorTestOptions
  extends Omit<ManagerOptions, "controllers" | "client" | "kubeconfig" | "cache" | "clock" | "signal" | "webhookServer"> {
  /** Default: none; an operator may consist of webhooks and conversions only. */
  readonly controllers?: readonly Controller[] | undefined;
  /**
   * The permissions of the operator in the cluster. "declared": those of the roles that `pintle generate` writes, so a permission that the
   * controllers do not declare is refused as in production. "admin": all. Default: "declared".
   */
  readonly permissions?: "declared" | "admin" | undefined;
}

/** The operator under test, or a function that returns it for a cluster; the function is called for every cluster that is started. */
export type OperatorOption =
  | OperatorTestOptions
  | ((context: { readonly cluster: Cluster; readonly client: Client }) => OperatorTestOptions | Promise<OperatorTestOptions>);

/** An operator that runs for the tests of one cluster. */
export interface OperatorUnderTest {
  readonly manager: Manager;
  /** Stops the operator and its webhooks. Throws PINTLE6542 if the operator had failed before. */
  stop(): Promise<void>;
}

/** Starts the operator of one file on any number of clusters. */
export interface OperatorLauncher {
  /** Installs the CRDs and roles of the operator. */
  install(cluster: Cluster): Promise<void>;
  /** Starts webhooks, conversion and controllers, in this order. Resolves when everything runs. */
  start(cluster: Cluster): Promise<OperatorUnderTest>;
  /** The warnings and errors that the operator has logged on a cluster. */
  logOf(cluster: Cluster): readonly string[];
}

const HOST = "127.0.0.1";
const NO_OBSERVER = { paths() {}, started() {}, finished() {}, conversionThrew() {}, certificateLoaded() {} };

/** Creates a launcher with its own certificate authority, which all clusters of a file trust. */
export function createOperatorLauncher(option: OperatorOption): OperatorLauncher {
  // TLS compares with the real time, whatever the clock of the cluster says.
  const authority = createCertificateAuthority("pintle-test", systemClock.now());
  const pair = authority.issueServerCertificate({ commonName: WEBHOOK_SERVICE.name }, [
    `${WEBHOOK_SERVICE.name}.${WEBHOOK_SERVICE.namespace}.svc`,
  ]);
  const logs = new WeakMap<Cluster, string[]>();
  const resolveOptions = async (cluster: Cluster) => {
    const { controllers = [], ...options } = typeof option === "function" ? await option({ cluster, client: cluster.client() }) : option;
    return { ...options, controllers };
  };
  return {
    logOf: (cluster) => logs.get(cluster) ?? [],
    async install(cluster) {
      await installOperator(cluster, await resolveOptions(cluster), authority.certificate);
    },
    async start(cluster) {
      const { permissions = "declared", ...options } = await resolveOptions(cluster);
      const { webhooks = [] } = options;
      const resources = collectResources(options);
      const lines: string[] = [];
      logs.set(cluster, lines);
      const log = createLogger({ clock: cluster.clock, level: "warn", humanReadable: true, write: (line) => lines.push(line) });
      const { clock, client, logger } = {
        clock: cluster.clock,
        client: cluster.client(permissions === "admin" ? {} : { user: OPERATOR_USER }),
        logger: options.logger ?? log,
      };
      const stopping = new AbortController();
      const server = await serveWebhooks({
        webhooks,
        resources,
        host: HOST,
        port: 0,
        certificates: { pair },
        // The check of stored versions reads CRDs, for which the installed operator has a role.
        client: cluster.client(),
        clock,
        random: options.random ?? Math.random,
        log: logger,
        observer: NO_OBSERVER,
        signal: stopping.signal,
      });
      const removeRoute = cluster.routeService(WEBHOOK_SERVICE, `https://${HOST}:${server.port}`);
      const close = async () => {
        removeRoute();
        await server.close(0);
      };
      try {
        await registerWebhooks(cluster.client(), options, authority.certificate);
        const manager = startManager({
          bugs: "fatal",
          // The test has ended: nothing waits for a reconciliation that still runs, least of all in virtual time.
          grace: 0,
          recorder: cluster.recorder,
          ...options,
          client,
          clock,
          logger,
          webhookServer: { address: "0" },
        });
        const done = manager.done.catch((error: unknown) => ({ error }));
        try {
          await waitUntilReady(manager, lines);
        } catch (error) {
          await manager.stop().catch(() => {});
          throw error;
        }
        return {
          manager,
          async stop() {
            await manager.stop().catch(() => {});
            await close();
            const failure = await done;
            if (failure !== undefined) throw operatorFailed(failure.error);
          },
        };
      } catch (error) {
        await close();
        throw error;
      }
    },
  };
}

/** How long an operator may take to be ready once it has logged a problem. In real time, which passes with a virtual clock too. */
const READY_TIMEOUT_MS = 3_000;

/** Waits until the operator is ready. Throws what it logged if it does not become ready: nothing that is missing appears before `setup` and the test. */
async function waitUntilReady(manager: Manager, lines: readonly string[]): Promise<void> {
  const timeout = new AbortController();
  const giveUp = async (): Promise<void> => {
    do await systemClock.sleep(READY_TIMEOUT_MS, timeout.signal);
    while (lines.length === 0);
    const problems = [...new Set(lines.map((line) => line.trim().replace(/^\S+ /, "")))].join("; ");
    throw new PintleError("PINTLE6542", `the operator is not ready after ${READY_TIMEOUT_MS / 1000} s: ${problems}`);
  };
  const ready = manager.ready.finally(() => timeout.abort());
  await Promise.race([ready, giveUp().catch((error: unknown) => (timeout.signal.aborted ? ready : Promise.reject(error)))]);
}

async function registerWebhooks(client: Client, options: ManagerOptions, caCertificate: string): Promise<void> {
  const { webhooks } = describeWebhooks(options.webhooks ?? [], []);
  const names = webhookNames("operator");
  const configurations = buildWebhookConfigurations(webhooks, {
    names,
    endpoint: { service: WEBHOOK_SERVICE },
    namespace: OPERATOR_NAMESPACE,
    caCertificate,
  });
  for (const object of configurations) {
    const kind = object["kind"] === "MutatingWebhookConfiguration" ? MutatingWebhookConfiguration : ValidatingWebhookConfiguration;
    await client.apply(kind, object as never, { force: true });
  }
}

function operatorFailed(error: unknown): PintleError {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new PintleError("PINTLE6542", `the operator failed during the test: ${text}`, { cause: error });
}
