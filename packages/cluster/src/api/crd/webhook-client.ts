import type { JsonObject } from "pintle/kinds";

/** Calls webhooks. Throws an Error whose message is the reason of the failure. */
export interface ConversionWebhookClient {
  post(name: string, config: JsonObject, body: JsonObject, timeoutSeconds: number): Promise<JsonObject>;
}

/** The client of a server without webhooks. */
export const unavailableConversionWebhookClient: ConversionWebhookClient = {
  async post() {
    throw new Error("this server calls no webhooks; use the stored version or conversion strategy None");
  },
};
