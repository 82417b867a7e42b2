import { Agent as PlainAgent, request as plainRequest } from "node:http";
import { Agent, request as secureRequest } from "node:https";
import { anySignal } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import type { Clock } from "pintle/queue";
import { jsonText } from "../../codec/index.ts";
import type { Store } from "../../store/index.ts";
import { answered, type Received } from "./answer.ts";
import { endpointOf } from "./endpoint.ts";
import { CallFailure, goProblem } from "./failure.ts";
import type { ServiceRoutes, ServiceTarget } from "./service-routes.ts";

/** The clientConfig of a webhook. */
export interface ClientConfig {
  readonly url?: string | undefined;
  readonly service?:
    | { readonly namespace: string; readonly name: string; readonly path?: string | undefined; readonly port?: number | undefined }
    | undefined;
  /** PEM in base64; default: the authorities the system trusts. */
  readonly caBundle?: string | undefined;
}

/** Asks webhooks. */
export interface Caller {
  /** Posts an object to the webhook of that name and reads one. Throws a CallFailure with a Go client's words. */
  post(name: string, config: ClientConfig, body: JsonObject, timeoutSeconds: number, signal?: AbortSignal): Promise<JsonObject>;
  /** Closes connections; calls that are still under way fail. */
  stop(): void;
}

/** What a test may do to a call: it takes longer, it is answered with another status, or it reaches nobody. */
export type Disturbance = { readonly latency: number } | { readonly status: number } | { readonly cut: "before" };

export interface CallerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly routes: ServiceRoutes;
  /** Asked with the webhook's name before each call. */
  readonly disturb?: ((webhook: string) => readonly Disturbance[]) | undefined;
}

/** More different authorities than this are not remembered at a time. */
const MOST_AGENTS = 32;

export function caller({ store, clock, routes, disturb = () => [] }: CallerOptions): Caller {
  const stopped = new AbortController();
  const plain = new PlainAgent({ keepAlive: true });
  const agents = new Map<string, Agent>();
  const agentFor = (caBundle: string) => {
    let agent = agents.get(caBundle);
    if (agent === undefined) {
      const pem = Buffer.from(caBundle, "base64").toString();
      // Go trusts what is in the bundle, an authority or not: envtest puts the webhook's own certificate there.
      agent = new Agent({ keepAlive: true, ...(pem.trim() === "" ? {} : { ca: pem, allowPartialTrustChain: true }) });
      agents.set(caBundle, agent);
      const [oldest] = agents;
      if (agents.size > MOST_AGENTS && oldest !== undefined) {
        oldest[1].destroy();
        agents.delete(oldest[0]);
      }
    }
    return agent;
  };

  return {
    async post(name, config, body, timeoutSeconds, signal) {
      const named = addressOf(config, timeoutSeconds);
      const late = new AbortController();
      const timer = clock.setTimeout(() => late.abort(), timeoutSeconds * 1000);
      const ended = anySignal([late.signal, stopped.signal, ...(signal === undefined ? [] : [signal])]);
      try {
        return await answered((await disturbed(name, ended)) ?? (await exchange(config, named, jsonText(body), ended)));
      } catch (error) {
        if (error instanceof CallFailure) throw error;
        const why = ended.aborted
          ? late.signal.aborted
            ? "context deadline exceeded"
            : "context canceled"
          : goProblem(error as Error, named.hostname.replace(/^\[|\]$/g, ""));
        throw new CallFailure(`Post "${goUrl(named, config)}": ${why}`);
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

  /** What a disturbance answers instead of the webhook, if it does. */
  async function disturbed(name: string, signal: AbortSignal): Promise<Received | undefined> {
    for (const disturbance of disturb(name)) {
      if ("latency" in disturbance) await clock.sleep(disturbance.latency, signal);
      else if ("status" in disturbance) return { status: disturbance.status, contentType: "text/plain", text: "" };
      else throw Object.assign(new Error("cut"), { code: "ECONNRESET" });
    }
    return undefined;
  }

  async function exchange(config: ClientConfig, named: URL, text: string, signal: AbortSignal): Promise<Received> {
    const { service } = config;
    const target = service && (await reached(named, config));
    if (typeof target === "function") return asked(target, named, text, signal);
    const at = target ?? named;
    const agent = at.protocol === "http:" ? plain : agentFor(config.caBundle ?? "");
    const send = () => sent(at, agent, service === undefined ? undefined : named, text, signal);
    try {
      return await send();
    } catch (error) {
      // A connection that was kept may have been closed by the other side meanwhile.
      if (error instanceof StaleConnection) return send();
      throw error;
    }
  }

  /** Where a Service is: where its owner says, else where its endpoints are. */
  async function reached(named: URL, { service }: ClientConfig): Promise<Exclude<ServiceTarget, string>> {
    const { namespace, name, port = 443 } = service as NonNullable<ClientConfig["service"]>;
    const route = routes.find(namespace, name, port);
    if (typeof route === "function") return route;
    if (route !== undefined) return inside(new URL(route), named);
    try {
      const { host, port: found } = await endpointOf(store, namespace, name, port);
      return inside(new URL(`https://${host.includes(":") ? `[${host}]` : host}:${found}`), named);
    } catch (error) {
      if (error instanceof CallFailure) throw new CallFailure(`Post "${goUrl(named, { service })}": ${error.message}`);
      throw error;
    }
  }
}

function inside(target: URL, { pathname, search }: URL): URL {
  const base = target.pathname.replace(/\/$/, "");
  return new URL(`${base}${pathname}${search}`, target);
}

/** The URL a webhook is called by, whether or not anything is there by that name. */
function addressOf({ url, service }: ClientConfig, timeoutSeconds: number): URL {
  const { namespace, name, path = "", port = 443 } = service ?? { namespace: "", name: "" };
  const address = new URL(service === undefined ? (url ?? "") : `https://${name}.${namespace}.svc:${port}/${path.replace(/^\//, "")}`);
  // As Go joins paths: envtest writes two slashes.
  address.pathname = address.pathname.replace(/\/{2,}/g, "/");
  address.searchParams.set("timeout", `${timeoutSeconds}s`);
  return address;
}

/** Go keeps a port that would be the usual one, and a path that is none. */
function goUrl(address: URL, { url, service }: ClientConfig): string {
  const given = service === undefined ? new URL(url ?? "") : undefined;
  const port = service === undefined ? (/^[^/]*\/\/[^/]*?(:\d+)(\/|$)/.exec(url ?? "")?.[1] ?? "") : `:${service.port ?? 443}`;
  const path = (given?.pathname === "/" && !url?.endsWith("/")) || (service !== undefined && !service.path) ? "" : address.pathname;
  return `${address.protocol}//${address.hostname}${port}${path}${address.search}`;
}

const HEADERS = { "content-type": "application/json", accept: "application/json, */*", "user-agent": "kube-apiserver-admission" };

async function asked(target: Exclude<ServiceTarget, string | URL>, url: URL, body: string, signal: AbortSignal): Promise<Received> {
  const ended = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  const response = await Promise.race([target(new Request(url, { method: "POST", headers: HEADERS, body, signal })), ended]);
  return { status: response.status, contentType: response.headers.get("content-type") ?? "", text: await response.text() };
}

class StaleConnection extends Error {
  readonly code = "ECONNRESET";
}

/** `named`: whom the certificate must be for, where that is not the one that is spoken to. */
function sent(to: URL, agent: Agent | PlainAgent, named: URL | undefined, body: string, signal: AbortSignal): Promise<Received> {
  const post = to.protocol === "http:" ? plainRequest : secureRequest;
  return new Promise((resolve, reject) => {
    const servername = named === undefined ? {} : { servername: named.hostname };
    const headers = { ...HEADERS, host: (named ?? to).host, "content-length": Buffer.byteLength(body) };
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
      reject(request.reusedSocket && error.code === "ECONNRESET" ? new StaleConnection() : error),
    );
    request.end(body);
  });
}
