import { randomUUID } from "node:crypto";
import { networkInterfaces } from "node:os";
import { type Client, NotFound, RequestError } from "pintle/client";
import { ValidatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { ConfigMap } from "pintle/kinds/core/v1";
import { systemClock } from "pintle/queue";
import { clientConfig } from "pintle/webhook";
import type { WebhookFront } from "./webhook-front.ts";

/** Names under which a cluster may find this machine, likely ones first. */
export function addressesOfThisMachine(local: boolean): readonly string[] {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const outside = own.filter(({ family, internal }) => family === "IPv4" && !internal).map(({ address }) => address);
  return [...(local ? ["127.0.0.1"] : []), ...outside, "host.docker.internal"];
}

const PATIENCE = 8_000;
const BREATH = 200;
const LABEL = "pintle.dev/probe";

/**
 * The address under which the API server reaches the front: each is tried with a webhook that is only asked about a dry run
 * of one made-up object. Otherwise why not, for each.
 */
export async function reachable(
  client: Client,
  front: WebhookFront,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<string | { readonly why: readonly string[] }> {
  const why: string[] = [];
  for (const address of addresses) {
    const id = randomUUID();
    const name = `pintle-dev-probe-${id.slice(0, 8)}`;
    try {
      await client.create(ValidatingWebhookConfiguration, { metadata: { name }, webhooks: [probe(address, front, id)] } as never, {
        signal,
      });
      const problem = await asked(client, front, id, signal);
      if (problem === undefined) return address;
      why.push(`${address}: ${problem}`);
    } finally {
      await client.delete(ValidatingWebhookConfiguration, { name }).catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw error;
      });
    }
  }
  return { why };
}

function probe(address: string, front: WebhookFront, id: string) {
  return {
    name: "probe.webhooks.pintle.dev",
    admissionReviewVersions: ["v1"],
    clientConfig: clientConfig({ url: `https://${address}:${front.port}` }, `/probe-${id}`, front.authority),
    failurePolicy: "Fail",
    objectSelector: { matchLabels: { [LABEL]: id } },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
    sideEffects: "None",
    timeoutSeconds: 2,
  };
}

/** Undefined when the question arrived; else what the API server says about it. */
async function asked(client: Client, front: WebhookFront, id: string, signal: AbortSignal): Promise<string | undefined> {
  let arrived = false;
  front.heard = (path) => {
    arrived ||= path.startsWith(`/probe-${id}`);
  };
  const until = systemClock.monotonic() + PATIENCE;
  let problem = "the API server never asked";
  while (!arrived && systemClock.monotonic() < until) {
    const metadata = { name: `pintle-dev-probe-${id.slice(0, 8)}`, namespace: "default", labels: { [LABEL]: id } };
    try {
      await client.create(ConfigMap, { metadata }, { dryRun: true, signal });
      // Servers hear of a configuration a moment after it is stored.
      await systemClock.sleep(BREATH, signal);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      problem = error.message;
      if (!arrived && problem.includes("failed calling webhook")) break;
    }
  }
  front.heard = () => {};
  return arrived ? undefined : problem;
}
