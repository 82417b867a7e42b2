import { run } from "pintle";
import { podWebhook } from "./pod-webhook.ts";

await run({ controllers: [], webhooks: [podWebhook] });
