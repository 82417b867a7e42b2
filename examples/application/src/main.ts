import { run } from "pintle";
import { application } from "./application.ts";
import { applicationWebhook } from "./webhook.ts";

await run({ controllers: [application], webhooks: [applicationWebhook] });
