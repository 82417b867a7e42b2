import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, request as ask, createServer } from "node:https";
import { type AddressInfo, connect, createServer as createPlainServer } from "node:net";
import { systemClock } from "pintle/queue";
import { type Authority, authority, type KeyPair } from "pintle/tls";

/** What API servers talk to, in front of an operator that is started again and again. */
export interface WebhookFront extends AsyncDisposable {
  readonly port: number;
  /** Where the operator listens, on this machine only, and what it serves with. */
  readonly behind: { readonly port: number; readonly pair: KeyPair };
  /** PEM of whom to trust. */
  readonly authority: string;
  /** Resolves when the operator listens; rejects with the signal. */
  operating(signal: AbortSignal): Promise<void>;
  /** Called with the path of every question. */
  heard: (path: string) => void;
}

/** While the operator is being started, questions wait so long, or as long as whoever asks says that it waits. */
const PATIENCE = 5_000;
const MARGIN = 500;
const BREATH = 50;
const HOST = "127.0.0.1";

/** Listens on `host` under all these names, and passes every question on to the operator, when there is one. */
export async function webhookFront(host: string, names: readonly string[]): Promise<WebhookFront> {
  const ca: Authority = authority("pintle-dev", Date.now());
  const pair = ca.server({ commonName: names[0]! }, names);
  const behind = { port: await freePort(), pair: ca.server({ commonName: "localhost" }, ["localhost", HOST]) };
  const agent = new Agent({ keepAlive: true, ca: ca.certificate, servername: "localhost" });
  const front = { heard: (_: string) => {} };

  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    front.heard(request.url ?? "/");
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const patience = patienceFor(request.url ?? "");
    const until = systemClock.monotonic() + patience;
    for (;;) {
      try {
        const { status, type, body } = await sent(Buffer.concat(chunks), request);
        response.writeHead(status, { "content-type": type, "content-length": body.length }).end(body);
        return;
      } catch {
        if (systemClock.monotonic() > until || response.destroyed) break;
        await systemClock.sleep(BREATH);
      }
    }
    response.writeHead(503, { "content-type": "text/plain" }).end(`the operator did not come back within ${patience / 1000} s\n`);
  };
  const sent = (body: Buffer, { method, url, headers }: IncomingMessage) =>
    new Promise<{ readonly status: number; readonly type: string; readonly body: Buffer }>((resolve, reject) => {
      const told = { "content-type": headers["content-type"] ?? "", "content-length": body.length };
      const going = ask({ host: HOST, port: behind.port, path: url, method, agent, headers: told }, (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("error", reject);
        const type = answer.headers["content-type"] ?? "";
        answer.on("end", () => resolve({ status: answer.statusCode ?? 502, type, body: Buffer.concat(parts) }));
      });
      going.on("error", reject);
      going.end(body);
    });

  const server = createServer({ cert: pair.certificate, key: pair.key }, (request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, () => resolve());
  });
  return Object.assign(front, {
    port: (server.address() as AddressInfo).port,
    behind,
    authority: ca.certificate,
    async operating(signal: AbortSignal) {
      while (!(await listens(behind.port))) await systemClock.sleep(BREATH, signal);
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  });
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

function patienceFor(url: string): number {
  const [, seconds] = /[?&]timeout=(\d+)s\b/.exec(url) ?? [];
  return seconds === undefined ? PATIENCE : Math.max(Number(seconds) * 1000 - MARGIN, MARGIN);
}

/** Nobody listens there now; the operator will. */
async function freePort(): Promise<number> {
  const server = createPlainServer();
  await new Promise<void>((resolve) => server.listen(0, HOST, () => resolve()));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
