import { run } from "pintle";
import { cronJob } from "./cronjob-controller.ts";
import { cronJobWebhook } from "./cronjob-webhook.ts";

await run({ controllers: [cronJob], webhooks: [cronJobWebhook] });
