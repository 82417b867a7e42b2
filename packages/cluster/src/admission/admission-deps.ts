import type { Random } from "pintle/internal/clock";
import type { AdmissionOperation, Authorizer } from "../api/index.ts";
import type { ObjectStore } from "../store/index.ts";
import type { WebhookClient } from "./webhook-client/webhook-client.ts";

/** Dependencies of webhooks and policies. */
export interface AdmissionDeps {
  readonly store: ObjectStore;
  readonly webhookClient: WebhookClient;
  readonly authorizer: Authorizer;
  /** Random source for review uids, whose values do not matter. */
  readonly jitter: Random;
  /** Called after each call of a webhook, for metrics. Default: nothing is recorded. */
  readonly recordWebhook?: WebhookRecorder | undefined;
}

export type WebhookRecorder = (
  name: string,
  type: "admit" | "validating",
  outcome: {
    readonly operation: AdmissionOperation;
    readonly seconds: number;
    readonly rejected: boolean;
    readonly code: number;
    readonly auditId: string;
  },
) => void;
