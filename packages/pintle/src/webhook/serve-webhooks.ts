import type { RunningWebhookServer, ServeWebhooksOptions } from "./server/start-webhook-server.ts";

/** Starts the webhook server. Its modules are loaded on the first call, so a program that only declares webhooks does not load them. */
export async function serveWebhooks(options: ServeWebhooksOptions): Promise<RunningWebhookServer> {
  const { startWebhookServer } = await import("./server/start-webhook-server.ts");
  return startWebhookServer(options);
}
