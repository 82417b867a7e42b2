import type { MetricsRegistry } from "pintle/internal/metrics";
import type { AdmissionObserver, AdmissionOutcome } from "../api/index.ts";

/** Measures admission. */
export interface AdmissionMetrics extends AdmissionObserver {
  /** Records the call of a webhook. */
  recordWebhook(name: string, type: "admit" | "validating", outcome: WebhookOutcome): void;
}

export interface WebhookOutcome extends Omit<AdmissionOutcome, "operation"> {
  readonly operation: string;
  /** The code of the response that a denial causes; 0 if the call failed, 200 if the request is allowed. */
  readonly code: number;
}

const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
const WEBHOOK_BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];

export function createAdmissionMetrics(registry: MetricsRegistry): AdmissionMetrics {
  const plugins = registry.histogram(
    "apiserver_admission_controller_admission_duration_seconds",
    "Time that an admission plugin took, in seconds",
    ["name", "operation", "rejected", "type"],
    BUCKETS,
  );
  const steps = registry.histogram(
    "apiserver_admission_step_admission_duration_seconds",
    "Time that all admission plugins of a step took, in seconds",
    ["operation", "rejected", "type"],
    BUCKETS,
  );
  const webhookLabels = ["name", "operation", "rejected", "type"];
  const webhooks = registry.histogram(
    "apiserver_admission_webhook_admission_duration_seconds",
    "Time that an admission webhook took, in seconds",
    webhookLabels,
    WEBHOOK_BUCKETS,
  );
  const webhookRequests = registry.counter("apiserver_admission_webhook_request_total", "Calls of admission webhooks, by code", [
    "code",
    ...webhookLabels,
  ]);
  const rejections = registry.counter("apiserver_admission_webhook_rejection_count", "Requests that admission webhooks rejected", [
    "error_type",
    "name",
    "operation",
    "rejection_code",
    "type",
  ]);

  return {
    recordPlugin: (name, step, { operation, rejected, seconds }) => plugins.observe([name, operation, String(rejected), step], seconds),
    recordStep: (step, { operation, rejected, seconds }) => steps.observe([operation, String(rejected), step], seconds),
    recordWebhook(name, type, { operation, rejected, seconds, code }) {
      const labels = [name, operation, String(rejected), type];
      webhooks.observe(labels, seconds);
      webhookRequests.add([String(code), ...labels]);
      if (!rejected) return;
      rejections.add([code === 0 ? "calling_webhook_error" : "no_error", name, operation, String(code), type]);
    },
  };
}
