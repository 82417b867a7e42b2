import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { anySignal, type Client, NotFound } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import { type Endpoint, webhookConfigurations, webhookNames } from "pintle/webhook";
import { CommandError } from "../command.ts";
import { type Operator, type Project, placed, serviceOf } from "../project/index.ts";
import { apply, remove } from "../reach/index.ts";
import { addressesOfThisMachine, reachable } from "./reachable.ts";
import { type WebhookFront, webhookFront } from "./webhook-front.ts";

/** How the API server of the cluster comes to ask an operator on this machine. */
export interface DevWebhooks extends AsyncDisposable {
  /** What the operator's process must be told. */
  args(): readonly string[];
  /** The operator whose definitions say where their versions are converted now. */
  placed(operator: Operator): Promise<Operator>;
  /** Tells the API server about the operator's webhooks as they are now. */
  register(operator: Operator): Promise<void>;
}

export interface DevWebhooksOptions {
  readonly client: Client;
  readonly project: Project;
  /** Of an embedded cluster: leads what is sent to the Service here. */
  readonly route?: ((service: { readonly namespace: string; readonly name: string }, target: string) => () => void) | undefined;
  /** Also on a cluster that is not embedded. */
  readonly wanted: boolean;
  readonly local: boolean;
  readonly signal: AbortSignal;
  say(text: string): void;
}

const LOOPBACK = "127.0.0.1";
const STARTED_WITHIN = 20_000;
const OFF = ["--webhook-bind-address=0"];

/** Webhooks of an operator under development: a front that stays while the operator comes and goes. */
export function devWebhooks({ client, project, route, wanted, local, signal, say }: DevWebhooksOptions): DevWebhooks {
  const names = webhookNames(project.name);
  const folder = path.join(project.root, ".pintle", "webhook");
  let front: WebhookFront | undefined;
  let endpoint: Endpoint | undefined;
  let forget = () => {};
  let told = false;
  let registered: readonly JsonObject[] = [];
  let converting: Operator | undefined;

  const has = ({ webhooks }: Operator) => webhooks.webhooks.length > 0 || webhooks.conversions.length > 0;
  const open = async (): Promise<void> => {
    if (endpoint !== undefined) return;
    const service = { namespace: project.namespace, name: names.service };
    const here = addressesOfThisMachine(local);
    front ??= await webhookFront(route === undefined ? "0.0.0.0" : LOOPBACK, [
      `${service.name}.${service.namespace}.svc`,
      LOOPBACK,
      ...here,
    ]);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "tls.crt"), front.behind.pair.certificate);
    writeFileSync(path.join(folder, "tls.key"), front.behind.pair.key, { mode: 0o600 });
    if (route !== undefined) {
      forget = route(service, `https://${LOOPBACK}:${front.port}`);
      endpoint = { service };
      return;
    }
    const found = await reachable(client, front, here, signal);
    if (typeof found !== "string")
      throw new CommandError(
        `pintle dev: the API server cannot ask this machine, so --webhooks cannot work here:\n${found.why.map((each) => `  ${each}`).join("\n")}`,
      );
    endpoint = { url: `https://${found}:${front.port}` };
    say(`webhooks  the API server reaches this machine as ${found}`);
  };

  return {
    args: () =>
      front === undefined || endpoint === undefined
        ? OFF
        : [`--webhook-bind-address=${LOOPBACK}:${front.behind.port}`, `--webhook-cert-path=${folder}`],
    async placed(operator) {
      if (!has(operator)) return operator;
      if (route === undefined && !wanted) {
        if (!told) say("webhooks  are not registered on this cluster: say --webhooks to have it ask this machine");
        told = true;
        return operator;
      }
      await open();
      if (operator.webhooks.conversions.length > 0) converting = operator;
      return placed(operator, endpoint!, front!.authority);
    },
    async register(operator) {
      if (front === undefined || endpoint === undefined) return;
      // An operator that cannot start must not keep objects from being stored: then nothing is registered until it can.
      const operates = await front.operating(anySignal([signal, AbortSignal.timeout(STARTED_WITHIN)])).then(
        () => true,
        () => false,
      );
      if (!operates && registered.length === 0) {
        if (!signal.aborted) say("webhooks  are not registered: the operator does not serve them yet");
        return;
      }
      const options = { names, endpoint, namespace: project.namespace, authority: front.authority };
      const now = webhookConfigurations(operator.webhooks.webhooks, options);
      for (const object of now) await apply(client, object, signal);
      const kept = new Set(now.map(({ kind }) => kind));
      for (const object of registered) if (!kept.has(object["kind"])) await remove(client, object, signal);
      if (now.length > registered.length)
        say(`webhooks  ${operator.webhooks.webhooks.map(({ kind }) => kind.kind).join(", ")} are asked about here`);
      registered = now;
    },
    /** Whatever was registered goes, also when the signal has fired already. */
    async [Symbol.asyncDispose]() {
      const patience = AbortSignal.timeout(10_000);
      for (const object of registered) await remove(client, object, patience).catch(ignoreMissing);
      if (converting !== undefined)
        for (const { crd } of placed(converting, serviceOf(project)).resources)
          if (crd.spec.conversion?.strategy === "Webhook") await apply(client, crd as unknown as JsonObject, patience).catch(ignoreMissing);
      forget();
      await front?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof NotFound)) throw error;
}
