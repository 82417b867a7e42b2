import { readFileSync } from "node:fs";
import { Agent, request } from "undici";
import { parse } from "yaml";
import { openWebSocket, type WebSocketResult } from "./web-socket.ts";

/** An HTTP client of one of the two servers. */
export interface Target {
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<TargetResponse>;
  /** Returns the undecoded response with all headers. */
  raw(method: string, path: string, headers?: Readonly<Record<string, string>>): Promise<RawResponse>;
  watch(path: string, headers?: Readonly<Record<string, string>>): Promise<WatchStream>;
  socket(path: string, headers?: Readonly<Record<string, string>>): Promise<WebSocketResult>;
  /** Compacts the store at the current revision, as a server does periodically. */
  compact(): Promise<void>;
  close(): Promise<void>;
}
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}
export interface TargetResponse {
  readonly status: number;
  readonly type: string | undefined;
  readonly warning: string | string[] | undefined;
  /** Parsed JSON or YAML, otherwise the text. */
  readonly body: any;
}
export interface WatchStream {
  readonly status: number;
  /** Waits for `count` events or the end of the stream; resolves with those received since the last call. */
  events(count: number): Promise<readonly unknown[]>;
  stop(): void;
}

export function createTarget(kubeconfig: string, compact: (revision: number) => Promise<void>): Target {
  const config = parse(kubeconfig);
  const { cluster } = config.clusters[0];
  const { user } = config.users[0];
  const pem = (of: Record<string, string>, key: string) =>
    of[`${key}-data`] === undefined
      ? readFileSync(of[key] as string, "utf8")
      : Buffer.from(of[`${key}-data`] as string, "base64").toString();
  const keys = { ca: pem(cluster, "certificate-authority"), cert: pem(user, "client-certificate"), key: pem(user, "client-key") };
  const dispatcher = new Agent({ connect: keys });
  const agent = { "user-agent": "conformance/1" };
  const self: Target = {
    async send(method, path, body, headers = {}) {
      const typed = body === undefined || headers["content-type"] !== undefined ? {} : { "content-type": "application/json" };
      const response = await request(cluster.server + path, {
        method: method as "GET",
        dispatcher,
        headers: { ...agent, ...typed, ...headers },
        body: body === undefined ? null : typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
      });
      const text = await response.body.text();
      const type = response.headers["content-type"] as string | undefined;
      const isJson = /^[{[]/.test(text);
      const isYaml = type === "application/yaml";
      return {
        status: response.statusCode,
        type,
        warning: response.headers["warning"],
        body: isJson ? JSON.parse(text) : isYaml ? parse(text) : text,
      };
    },
    async raw(method, path, headers = {}) {
      const response = await request(cluster.server + path, { method: method as "GET", dispatcher, headers: { ...agent, ...headers } });
      return { status: response.statusCode, headers: response.headers, bytes: Buffer.from(await response.body.arrayBuffer()) };
    },
    async watch(path, headers = {}) {
      const stopped = new AbortController();
      const response = await request(cluster.server + path, {
        dispatcher,
        headers: { ...agent, ...headers },
        signal: stopped.signal,
        bodyTimeout: 0,
      });
      return { status: response.statusCode, ...readEvents(response.body, stopped) };
    },
    socket: (path, headers = {}) => openWebSocket(cluster.server + path, { ...keys, headers: { ...agent, ...headers } }),
    async compact() {
      const { body } = await self.send("GET", "/api/v1/namespaces?limit=1");
      await compact(Number(body.metadata.resourceVersion));
    },
    close: () => dispatcher.destroy(),
  };
  return self;
}

function readEvents(body: AsyncIterable<Buffer>, stopped: AbortController) {
  let events: unknown[] = [];
  let ended = false;
  let notify = () => {};
  void (async () => {
    let text = "";
    try {
      for await (const chunk of body) {
        text += chunk.toString();
        const lines = text.split("\n");
        text = lines.pop() as string;
        events.push(...lines.map((line) => JSON.parse(line)));
        notify();
      }
    } catch {}
    ended = true;
    notify();
  })();
  return {
    async events(count: number) {
      while (events.length < count && !ended) {
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
      const batch = events;
      events = [];
      return batch;
    },
    stop: () => stopped.abort(),
  };
}
