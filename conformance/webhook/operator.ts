import { type Controller, createLogger, type Manager, startManager, type Webhook } from "pintle";
import type { Client } from "pintle/client";
import { systemClock } from "pintle/internal/clock";
import type { AnyResource } from "pintle/internal/resource";
import { buildClientConfig, buildWebhookConfigurations, describeWebhooks, webhookNames } from "pintle/internal/webhook";
import type { JsonObject } from "pintle/kinds";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";

export const NAMESPACE = "default";
export const PREFIX = "conformance";
export const NAMES = webhookNames(PREFIX);
const HOST = "127.0.0.1";

export interface Lifetimes {
  readonly authority?: number;
  readonly leaf?: number;
  readonly overlap?: number;
}

export interface OperatorOptions {
  readonly client: Client;
  readonly webhooks?: readonly Webhook[];
  readonly controllers?: readonly Controller[];
  readonly resources?: readonly AnyResource[];
  readonly lifetimes?: Lifetimes;
  /** Default: any. */
  readonly port?: number;
}

/** Starts an operator in this process with its own certificates; records its warnings and errors. */
export function startOperator({
  client,
  webhooks = [],
  controllers = [],
  resources = [],
  lifetimes,
  port = 0,
}: OperatorOptions): Manager & {
  readonly complaints: any[];
} {
  const complaints: any[] = [];
  const logger = createLogger({ clock: systemClock, level: "warn", write: (line) => complaints.push(JSON.parse(line)) });
  const manager = startManager({
    controllers,
    client,
    webhooks,
    resources,
    logger,
    webhookServer: { address: `${HOST}:${port}`, certificates: { issued: PREFIX, namespace: NAMESPACE, lifetimes }, hosts: [HOST] },
  });
  return Object.assign(manager, { complaints });
}

/** Registers webhooks that are served at a port of this machine. */
export async function registerWebhooks(
  client: Client,
  port: number,
  webhooks: readonly Webhook[],
  resources: readonly AnyResource[],
): Promise<void> {
  const endpoint = { url: `https://${HOST}:${port}` };
  const description = describeWebhooks(webhooks, resources);
  for (const resource of resources) {
    const conversion = buildClientConfig(endpoint, "/convert") as never;
    await client.apply(CustomResourceDefinition, resource.crd({ conversion }) as never, { force: true });
    await client.waitFor(CustomResourceDefinition, { name: `${resource.plural}.${resource.group}` }, isEstablished, { timeout: 20_000 });
  }
  for (const object of buildWebhookConfigurations(description.webhooks, { names: NAMES, endpoint, namespace: "operator-system" })) {
    const kind = object["kind"] === "MutatingWebhookConfiguration" ? MutatingWebhookConfiguration : ValidatingWebhookConfiguration;
    await client.apply(kind, object as never, { force: true });
  }
}

export const isEstablished = (crd: CustomResourceDefinition) =>
  crd.status?.conditions?.some((each) => each.type === "Established" && each.status === "True") ?? false;

/** Returns the CA bundles of all webhook configurations, as stored in the API server now. */
export async function readCaBundles(client: Client): Promise<readonly (string | undefined)[]> {
  const found: (string | undefined)[] = [];
  for (const [kind, name] of [
    [MutatingWebhookConfiguration, NAMES.mutating],
    [ValidatingWebhookConfiguration, NAMES.validating],
  ] as const) {
    const object = (await client.find(kind as typeof MutatingWebhookConfiguration, { name })) as JsonObject | undefined;
    for (const webhook of (object?.["webhooks"] ?? []) as readonly { clientConfig: { caBundle?: string } }[])
      found.push(webhook.clientConfig.caBundle);
  }
  return found;
}
