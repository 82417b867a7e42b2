import type { Client } from "../client/index.ts";
import type { Logger } from "../controller/index.ts";
import type { Clock, Random } from "../queue/index.ts";
import { converting, type Serving, serveWebhooks, WEBHOOK_PORT, type WebhookObserver } from "../webhook/index.ts";
import { certificate } from "./certificate.ts";
import { type Address, addressOf } from "./listen.ts";
import type { StartOptions } from "./options.ts";
import { resourcesOf } from "./resources-of.ts";

export interface WebhookTools {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly observer: WebhookObserver;
  readonly signal: AbortSignal;
}

/** Where webhooks and conversions are served; undefined when there are none, or somebody has switched them off. */
export function webhooksAt(options: StartOptions): Address | undefined {
  const { webhooks = [], webhookServer = webhooks.length > 0 ? {} : { address: "0" } } = options;
  if (webhooks.length === 0 && converting(resourcesOf(options)).length === 0) return undefined;
  return addressOf(webhookServer.address ?? `:${WEBHOOK_PORT}`);
}

export async function serveAll(options: StartOptions, { logger, signal, ...tools }: WebhookTools): Promise<Serving | undefined> {
  const at = webhooksAt(options);
  if (at === undefined) return undefined;
  const { webhooks = [], webhookServer = {} } = options;
  const { certificates = { pair: await certificate(undefined, { clock: tools.clock, logger, signal }, () => {}) }, hosts } = webhookServer;
  return serveWebhooks({ ...tools, ...at, signal, log: logger, webhooks, resources: resourcesOf(options), certificates, hosts });
}
