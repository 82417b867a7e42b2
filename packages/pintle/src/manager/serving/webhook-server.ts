import type { Client } from "../../client/index.ts";
import type { Clock, Random } from "../../clock/index.ts";
import type { Logger } from "../../controller/index.ts";
import { type RunningWebhookServer, resourcesWithConversion, serveWebhooks, type WebhookObserver } from "../../webhook/index.ts";
import { collectResources } from "../collect-resources.ts";
import { DEFAULTS } from "../defaults.ts";
import type { ManagerOptions } from "../options.ts";
import { loadServingCertificate } from "./certificate.ts";
import { type ListenAddress, parseListenAddress } from "./http-server.ts";

export interface WebhookServerDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly observer: WebhookObserver;
  readonly signal: AbortSignal;
}

/** Returns the address of the webhook server; `undefined` if there are no webhooks and conversions, or the server is disabled. */
export function resolveWebhookAddress(options: ManagerOptions): ListenAddress | undefined {
  const { webhooks = [], webhookServer = webhooks.length > 0 ? {} : { address: "0" } } = options;
  if (webhooks.length === 0 && resourcesWithConversion(collectResources(options)).length === 0) return undefined;
  return parseListenAddress(webhookServer.address ?? DEFAULTS.webhookAddress);
}

/** Serves webhooks and conversions. */
export async function serveWebhookEndpoint(
  options: ManagerOptions,
  { logger, signal, ...deps }: WebhookServerDeps,
): Promise<RunningWebhookServer | undefined> {
  const address = resolveWebhookAddress(options);
  if (address === undefined) return undefined;
  const { webhooks = [], webhookServer = {} } = options;
  const { certificates = { pair: await loadServingCertificate(undefined, { clock: deps.clock, logger, signal }, () => {}) }, hosts } =
    webhookServer;
  return serveWebhooks({ ...deps, ...address, signal, log: logger, webhooks, resources: collectResources(options), certificates, hosts });
}
