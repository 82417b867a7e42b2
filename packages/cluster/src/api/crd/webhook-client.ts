import type { JsonObject } from "pintle/kinds";

/** Asks webhooks. Throws an Error whose message says why there is no answer. */
export interface WebhookClient {
  post(name: string, config: JsonObject, body: JsonObject, timeoutSeconds: number): Promise<JsonObject>;
}

/** Whoever has no webhooks says so. */
export const noWebhooks: WebhookClient = {
  async post() {
    throw new Error("this server calls no webhooks; use the stored version or conversion strategy None");
  },
};
