import { Agent as PlainAgent, request as plainRequest } from "node:http";
import { Agent, request as secureRequest } from "node:https";
import { anySignal, type Clock } from "pintle/internal/clock";
import { stringifyJson } from "pintle/internal/json";
import type { JsonObject } from "pintle/kinds";
import type { ObjectStore } from "../../store/index.ts";
import { resolveServiceEndpoint } from "./service-endpoint.ts";
import type { ServiceRoutes, ServiceTarget } from "./service-routes.ts";
import { formatGoNetworkError, WebhookTransportError } from "./transport-error.ts";
import { parseWebhookResponse, type WebhookHttpResponse } from "./webhook-response.ts";

/** The clientConfig of a webhook. */
export interface WebhookClientConfig {
  readonly url?: string | undefined;
  readonly service?:
    | { readonly namespace: string; readonly name: string; readonly path?: string | undefined; readonly port?: number | undefined }
    | undefined;
  /** PEM in base64. Default: the system's authorities. */
  readonly caBundle?: string | undefined;
}

/** Calls admission and conversion webhooks. */
export interface WebhookClient {
  /** Posts an object to a webhook and resolves with the response object. Throws `WebhookTransportError` with the text of a Go client. */
  post(
    name: string,
    config: WebhookClientConfig,
    body: JsonObject,
    timeoutSeconds: number,
    signal?: AbortSignal,
    traceparent?: string,
  ): Promise<JsonObject>;
  /** Closes connections; calls in flight fail. */
  stop(): void;
}

/** A fault injected into a call: latency, another status, or no connection. */
export type WebhookCallFault = { readonly latency: number } | { readonly status: number } | { readonly cut: "before" };

export interface WebhookClientOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly routes: ServiceRoutes;
  /** Returns the faults of a call, by the webhook's name. Default: none. */
  readonly getWebhookFaults?: ((webhook: string) => readonly WebhookCallFault[]) | undefined;
}

/** Limit of the cache of agents by CA bundle. */
const MAX_AGENTS = 32;

export function createWebhookClient({ store, clock, routes, getWebhookFaults = () => [] }: WebhookClientOptions): WebhookClient {
  const stopped = new AbortController();
  const plain = new PlainAgent({ keepAlive: true });
  const agents = new Map<string, Agent>();
  const agentFor = (caBundle: string) => {
    let agent = agents.get(caBundle);
    if (agent === undefined) {
      const pem = Buffer.from(caBundle, "base64").toString();
      // Go trusts every certificate in the bundle: envtest puts the webhook's own certificate there.
      agent = new Agent({ keepAlive: true, ...(pem.trim() === "" ? {} : { ca: pem, allowPartialTrustChain: true }) });
      agents.set(caBundle, agent);
      const [oldest] = agents;
      if (agents.size > MAX_AGENTS && oldest !== undefined) {
        oldest[1].destroy();
        agents.delete(oldest[0]);
      }
    }
    return agent;
  };

  return {
    async post(name, config, body, timeoutSeconds, signal, traceparent) {
      const named = buildWebhookUrl(config, timeoutSeconds);
      const timeout = new AbortController();
      const timer = clock.setTimeout(() => timeout.abort(), timeoutSeconds * 1000);
      const ended = anySignal([timeout.signal, stopped.signal, ...(signal === undefined ? [] : [signal])]);
      try {
        return await parseWebhookResponse(
          (await applyFaults(name, ended)) ?? (await sendReview(config, named, stringifyJson(body), ended, traceparent)),
        );
      } catch (error) {
        if (error instanceof WebhookTransportError) throw error;
        const reason = ended.aborted
          ? timeout.signal.aborted
            ? "context deadline exceeded"
            : "context canceled"
          : formatGoNetworkError(error as Error, named.hostname.replace(/^\[|\]$/g, ""));
        throw new WebhookTransportError(`Post "${formatGoUrl(named, config)}": ${reason}`);
      } finally {
        clock.clearTimeout(timer);
      }
    },
    stop() {
      stopped.abort();
      plain.destroy();
      for (const agent of agents.values()) agent.destroy();
    },
  };

  /** Applies the injected faults; resolves with a response if a fault replaces it. */
  async function applyFaults(name: string, signal: AbortSignal): Promise<WebhookHttpResponse | undefined> {
    for (const disturbance of getWebhookFaults(name)) {
      if ("latency" in disturbance) await clock.sleep(disturbance.latency, signal);
      else if ("status" in disturbance) return { status: disturbance.status, contentType: "text/plain", text: "" };
      else throw Object.assign(new Error("cut"), { code: "ECONNRESET" });
    }
    return undefined;
  }

  async function sendReview(
    config: WebhookClientConfig,
    named: URL,
    text: string,
    signal: AbortSignal,
    traceparent: string | undefined,
  ): Promise<WebhookHttpResponse> {
    const { service } = config;
    const target = service && (await resolveService(named, config));
    if (typeof target === "function") return callInProcess(target, named, text, signal, traceparent);
    const at = target ?? named;
    const agent = at.protocol === "http:" ? plain : agentFor(config.caBundle ?? "");
    const send = () => postHttp(at, agent, service === undefined ? undefined : named, text, signal, traceparent);
    try {
      return await send();
    } catch (error) {
      // The server may have closed a kept-alive connection meanwhile.
      if (error instanceof StaleConnectionError) return send();
      throw error;
    }
  }

  /** Resolves a Service: by the configured routes, else by its endpoints. */
  async function resolveService(named: URL, { service }: WebhookClientConfig): Promise<Exclude<ServiceTarget, string>> {
    const { namespace, name, port = 443 } = service as NonNullable<WebhookClientConfig["service"]>;
    const route = routes.find(namespace, name, port);
    if (typeof route === "function") return route;
    if (route !== undefined) return joinUrl(new URL(route), named);
    try {
      const { host, port: found } = await resolveServiceEndpoint(store, namespace, name, port);
      return joinUrl(new URL(`https://${host.includes(":") ? `[${host}]` : host}:${found}`), named);
    } catch (error) {
      if (error instanceof WebhookTransportError)
        throw new WebhookTransportError(`Post "${formatGoUrl(named, { service })}": ${error.message}`);
      throw error;
    }
  }
}

function joinUrl(target: URL, { pathname, search }: URL): URL {
  const base = target.pathname.replace(/\/$/, "");
  return new URL(`${base}${pathname}${search}`, target);
}

/** Builds the URL of a webhook; for a Service its host need not exist. */
function buildWebhookUrl({ url, service }: WebhookClientConfig, timeoutSeconds: number): URL {
  const { namespace, name, path = "", port = 443 } = service ?? { namespace: "", name: "" };
  const address = new URL(service === undefined ? (url ?? "") : `https://${name}.${namespace}.svc:${port}/${path.replace(/^\//, "")}`);
  // As Go joins paths: envtest writes double slashes.
  address.pathname = address.pathname.replace(/\/{2,}/g, "/");
  address.searchParams.set("timeout", `${timeoutSeconds}s`);
  return address;
}

/** Formats a URL like Go, which keeps a default port and an empty path. */
function formatGoUrl(address: URL, { url, service }: WebhookClientConfig): string {
  const configured = service === undefined ? new URL(url ?? "") : undefined;
  const port = service === undefined ? (/^[^/]*\/\/[^/]*?(:\d+)(\/|$)/.exec(url ?? "")?.[1] ?? "") : `:${service.port ?? 443}`;
  const path = (configured?.pathname === "/" && !url?.endsWith("/")) || (service !== undefined && !service.path) ? "" : address.pathname;
  return `${address.protocol}//${address.hostname}${port}${path}${address.search}`;
}

const HEADERS = { "content-type": "application/json", accept: "application/json, */*", "user-agent": "kube-apiserver-admission" };

async function callInProcess(
  target: Exclude<ServiceTarget, string | URL>,
  url: URL,
  body: string,
  signal: AbortSignal,
  traceparent: string | undefined,
): Promise<WebhookHttpResponse> {
  const headers = traceparent === undefined ? HEADERS : { ...HEADERS, traceparent };
  const ended = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  const response = await Promise.race([target(new Request(url, { method: "POST", headers, body, signal })), ended]);
  return { status: response.status, contentType: response.headers.get("content-type") ?? "", text: await response.text() };
}

class StaleConnectionError extends Error {
  readonly code = "ECONNRESET";
}

/** Posts a body. `named` is the host that the certificate must be valid for, if it differs from `to`. */
function postHttp(
  to: URL,
  agent: Agent | PlainAgent,
  named: URL | undefined,
  body: string,
  signal: AbortSignal,
  traceparent: string | undefined,
): Promise<WebhookHttpResponse> {
  const post = to.protocol === "http:" ? plainRequest : secureRequest;
  return new Promise((resolve, reject) => {
    const servername = named === undefined ? {} : { servername: named.hostname };
    const headers = {
      ...HEADERS,
      host: (named ?? to).host,
      "content-length": Buffer.byteLength(body),
      ...(traceparent === undefined ? {} : { traceparent }),
    };
    const request = post(to, { method: "POST", agent, headers, signal, ...servername }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers["content-type"] ?? "",
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.on("error", (error: NodeJS.ErrnoException) =>
      reject(request.reusedSocket && error.code === "ECONNRESET" ? new StaleConnectionError() : error),
    );
    request.end(body);
  });
}
