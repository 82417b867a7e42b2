import { readFileSync } from "node:fs";
import { Agent, request } from "undici";
import { parse } from "yaml";

/** One of the two servers, asked over HTTP in the same words as the other. */
export interface Target {
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  watch(path: string, headers?: Readonly<Record<string, string>>): Promise<Watching>;
  close(): Promise<void>;
}
export interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  readonly warning: string | string[] | undefined;
  /** JSON where it is some, else the text. */
  readonly body: any;
}
export interface Watching {
  readonly status: number;
  /** Waits until so many events have come, or the stream has ended; answers with those that came since the last call. */
  events(count: number): Promise<readonly unknown[]>;
  stop(): void;
}

export function target(kubeconfig: string): Target {
  const config = parse(kubeconfig);
  const { cluster } = config.clusters[0];
  const { user } = config.users[0];
  const pem = (of: Record<string, string>, key: string) =>
    of[`${key}-data`] === undefined
      ? readFileSync(of[key] as string, "utf8")
      : Buffer.from(of[`${key}-data`] as string, "base64").toString();
  const dispatcher = new Agent({
    connect: { ca: pem(cluster, "certificate-authority"), cert: pem(user, "client-certificate"), key: pem(user, "client-key") },
  });
  const agent = { "user-agent": "conformance/1" };
  return {
    async send(method, path, body, headers = {}) {
      const typed = body === undefined || headers["content-type"] !== undefined ? {} : { "content-type": "application/json" };
      const response = await request(cluster.server + path, {
        method: method as "GET",
        dispatcher,
        headers: { ...agent, ...typed, ...headers },
        body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
      });
      const text = await response.body.text();
      const type = response.headers["content-type"] as string | undefined;
      const isJson = /^[{[]/.test(text);
      return { status: response.statusCode, type, warning: response.headers["warning"], body: isJson ? JSON.parse(text) : text };
    },
    async watch(path, headers = {}) {
      const stopped = new AbortController();
      const response = await request(cluster.server + path, {
        dispatcher,
        headers: { ...agent, ...headers },
        signal: stopped.signal,
        bodyTimeout: 0,
      });
      return { status: response.statusCode, ...reader(response.body, stopped) };
    },
    close: () => dispatcher.destroy(),
  };
}

function reader(body: AsyncIterable<Buffer>, stopped: AbortController) {
  let events: unknown[] = [];
  let ended = false;
  let wake = () => {};
  void (async () => {
    let text = "";
    try {
      for await (const chunk of body) {
        text += chunk.toString();
        const lines = text.split("\n");
        text = lines.pop() as string;
        events.push(...lines.map((line) => JSON.parse(line)));
        wake();
      }
    } catch {}
    ended = true;
    wake();
  })();
  return {
    async events(count: number) {
      while (events.length < count && !ended) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const batch = events;
      events = [];
      return batch;
    },
    stop: () => stopped.abort(),
  };
}
