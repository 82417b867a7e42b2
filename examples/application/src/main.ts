import { run } from "pintle";
import { application } from "./application.ts";
import { applicationWebhook } from "./application-webhook.ts";

await run({ controllers: [application], webhooks: [applicationWebhook] });
