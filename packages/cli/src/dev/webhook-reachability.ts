import { randomUUID } from "node:crypto";
import { networkInterfaces } from "node:os";
import { type Client, NotFound, RequestError } from "pintle/client";
import { systemClock } from "pintle/internal/clock";
import { buildClientConfig } from "pintle/internal/webhook";
import { ValidatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { ConfigMap } from "pintle/kinds/core/v1";
import type { WebhookProxy } from "./webhook-proxy.ts";

/** Returns addresses at which a cluster may reach this machine, most likely first. */
export function listCandidateAddresses(isLocal: boolean): readonly string[] {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const outside = own.filter(({ family, internal }) => family === "IPv4" && !internal).map(({ address }) => address);
  return [...(isLocal ? ["127.0.0.1"] : []), ...outside, "host.docker.internal"];
}

const PROBE_TIMEOUT_MS = 8_000;
const RETRY_DELAY_MS = 200;
const PROBE_LABEL = "pintle.dev/probe";

/**
 * Returns the address at which the API server reaches the proxy, or the problem with each candidate. Probes with a webhook configuration
 * that matches only the dry-run creation of one labelled ConfigMap.
 */
export async function findReachableAddress(
  client: Client,
  proxy: WebhookProxy,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<string | { readonly problems: readonly string[] }> {
  const problems: string[] = [];
  for (const address of addresses) {
    const id = randomUUID();
    const name = `pintle-dev-probe-${id.slice(0, 8)}`;
    try {
      await client.create(ValidatingWebhookConfiguration, { metadata: { name }, webhooks: [probeWebhook(address, proxy, id)] } as never, {
        signal,
      });
      const problem = await probeAddress(client, proxy, id, signal);
      if (problem === undefined) return address;
      problems.push(`${address}: ${problem}`);
    } finally {
      await client.delete(ValidatingWebhookConfiguration, { name }).catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw error;
      });
    }
  }
  return { problems };
}

function probeWebhook(address: string, proxy: WebhookProxy, id: string) {
  return {
    name: "probe.webhooks.pintle.dev",
    admissionReviewVersions: ["v1"],
    clientConfig: buildClientConfig({ url: `https://${address}:${proxy.port}` }, `/probe-${id}`, proxy.caBundle),
    failurePolicy: "Fail",
    objectSelector: { matchLabels: { [PROBE_LABEL]: id } },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
    sideEffects: "None",
    timeoutSeconds: 2,
  };
}

/** Returns undefined if the API server called the proxy; otherwise its error message. */
async function probeAddress(client: Client, proxy: WebhookProxy, id: string, signal: AbortSignal): Promise<string | undefined> {
  let hasArrived = false;
  proxy.onRequest = (path) => {
    hasArrived ||= path.startsWith(`/probe-${id}`);
  };
  const deadline = systemClock.monotonic() + PROBE_TIMEOUT_MS;
  let problem = "the API server did not call the webhook";
  while (!hasArrived && systemClock.monotonic() < deadline) {
    const metadata = { name: `pintle-dev-probe-${id.slice(0, 8)}`, namespace: "default", labels: { [PROBE_LABEL]: id } };
    try {
      await client.create(ConfigMap, { metadata }, { dryRun: true, signal });
      // API servers apply a webhook configuration with a delay.
      await systemClock.sleep(RETRY_DELAY_MS, signal);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      problem = error.message;
      if (!hasArrived && problem.includes("failed calling webhook")) break;
    }
  }
  proxy.onRequest = () => {};
  return hasArrived ? undefined : problem;
}
