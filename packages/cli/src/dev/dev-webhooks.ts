import { rmSync } from "node:fs";
import path from "node:path";
import { type Client, NotFound } from "pintle/client";
import { anySignal } from "pintle/internal/clock";
import { writePrivateFile } from "pintle/internal/private-file";
import { buildWebhookConfigurations, type WebhookEndpoint, webhookNames } from "pintle/internal/webhook";
import type { JsonObject } from "pintle/kinds";
import { CommandError } from "../command/index.ts";
import { buildServiceEndpoint, type OperatorDescription, type Project, withConversionEndpoint } from "../project/index.ts";
import { applyObject, deleteObject } from "../target-cluster/index.ts";
import { startWebhookProxy, type WebhookProxy } from "./webhook-proxy.ts";
import { findReachableAddress, listCandidateAddresses } from "./webhook-reachability.ts";

/** Connects the API server of the target cluster to the webhooks of an operator on this machine. */
export interface DevWebhooks extends AsyncDisposable {
  /** Command-line flags for the operator process. */
  args(): readonly string[];
  /** Starts the proxy if the operator has webhooks, and returns the operator with CRDs whose conversion endpoint is the proxy. */
  withConversionEndpoint(operator: OperatorDescription): Promise<OperatorDescription>;
  /** Applies the webhook configurations of the operator once it serves them, and deletes those it no longer has. */
  register(operator: OperatorDescription): Promise<void>;
}

export interface DevWebhooksOptions {
  readonly client: Client;
  readonly project: Project;
  /** Routes requests for the webhook Service to this machine; available on an embedded cluster. */
  readonly routeService?: ((service: { readonly namespace: string; readonly name: string }, target: string) => () => void) | undefined;
  /** Whether to register webhooks on a cluster that is not embedded. */
  readonly isEnabled: boolean;
  readonly isLocal: boolean;
  readonly signal: AbortSignal;
  log(text: string): void;
}

const LOOPBACK = "127.0.0.1";
const START_TIMEOUT_MS = 20_000;
const DISABLED_ARGS = ["--webhook-bind-address=0"];

/** Serves webhooks of an operator under development through a proxy that stays up while the operator restarts. */
export function createDevWebhooks({ client, project, routeService, isEnabled, isLocal, signal, log }: DevWebhooksOptions): DevWebhooks {
  const names = webhookNames(project.name);
  const folder = path.join(project.root, ".pintle", "webhook");
  let proxy: WebhookProxy | undefined;
  let endpoint: WebhookEndpoint | undefined;
  let removeRoute = () => {};
  let isDisabledReported = false;
  let registered: readonly JsonObject[] = [];
  let lastConverting: OperatorDescription | undefined;

  const hasWebhooks = ({ webhooks }: OperatorDescription) => webhooks.webhooks.length > 0 || webhooks.conversions.length > 0;
  const startProxy = async (): Promise<void> => {
    if (endpoint !== undefined) return;
    const service = { namespace: project.namespace, name: names.service };
    const addresses = listCandidateAddresses(isLocal);
    proxy ??= await startWebhookProxy(routeService === undefined ? "0.0.0.0" : LOOPBACK, [
      `${service.name}.${service.namespace}.svc`,
      LOOPBACK,
      ...addresses,
    ]);
    writePrivateFile(path.join(folder, "tls.crt"), proxy.upstream.pair.certificate);
    writePrivateFile(path.join(folder, "tls.key"), proxy.upstream.pair.key);
    if (routeService !== undefined) {
      removeRoute = routeService(service, `https://${LOOPBACK}:${proxy.port}`);
      endpoint = { service };
      return;
    }
    const reachable = await findReachableAddress(client, proxy, addresses, signal);
    if (typeof reachable !== "string")
      throw new CommandError(
        "PINTLE7091",
        `the API server cannot reach this machine, so --webhooks is not supported here:\n${reachable.problems.map((each) => `  ${each}`).join("\n")}`,
      );
    endpoint = { url: `https://${reachable}:${proxy.port}` };
    log(`webhooks: the API server reaches this machine at ${reachable}`);
  };

  return {
    args: () =>
      proxy === undefined || endpoint === undefined
        ? DISABLED_ARGS
        : [`--webhook-bind-address=${LOOPBACK}:${proxy.upstream.port}`, `--webhook-cert-path=${folder}`],
    async withConversionEndpoint(operator) {
      if (!hasWebhooks(operator)) return operator;
      if (routeService === undefined && !isEnabled) {
        if (!isDisabledReported) log("webhooks: not registered on this cluster; pass --webhooks to serve them from this machine");
        isDisabledReported = true;
        return operator;
      }
      await startProxy();
      if (operator.webhooks.conversions.length > 0) lastConverting = operator;
      return withConversionEndpoint(operator, endpoint!, proxy!.caBundle);
    },
    async register(operator) {
      if (proxy === undefined || endpoint === undefined) return;
      // An operator that fails to start must not block writes, so nothing is registered until it serves its webhooks.
      const isServing = await proxy.waitForUpstream(anySignal([signal, AbortSignal.timeout(START_TIMEOUT_MS)])).then(
        () => true,
        () => false,
      );
      if (!isServing && registered.length === 0) {
        if (!signal.aborted) log("webhooks: not registered, because the operator does not serve them yet");
        return;
      }
      const options = { names, endpoint, namespace: project.namespace, caCertificate: proxy.caBundle };
      const current = buildWebhookConfigurations(operator.webhooks.webhooks, options);
      for (const object of current) await applyObject(client, object, signal);
      const currentKinds = new Set(current.map(({ kind }) => kind));
      for (const object of registered) if (!currentKinds.has(object["kind"])) await deleteObject(client, object, signal);
      if (current.length > registered.length)
        log(`webhooks: registered for ${operator.webhooks.webhooks.map(({ kind }) => kind.kind).join(", ")}`);
      registered = current;
    },
    /** Deletes what was registered, even if the signal has already aborted. */
    async [Symbol.asyncDispose]() {
      const patience = AbortSignal.timeout(10_000);
      for (const object of registered) await deleteObject(client, object, patience).catch(ignoreNotFound);
      if (lastConverting !== undefined)
        for (const { crd } of withConversionEndpoint(lastConverting, buildServiceEndpoint(project)).resources)
          if (crd.spec.conversion?.strategy === "Webhook")
            await applyObject(client, crd as unknown as JsonObject, patience).catch(ignoreNotFound);
      removeRoute();
      await proxy?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof NotFound)) throw error;
}
