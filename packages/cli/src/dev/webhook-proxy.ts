import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, request as httpsRequest } from "node:https";
import { type AddressInfo, connect, createServer as createPlainServer } from "node:net";
import { systemClock } from "pintle/internal/clock";
import { runInBackground } from "pintle/internal/errors";
import { BodyTooLarge, createRequestGuard, readBoundedBody } from "pintle/internal/loopback";
import { type CertificateAuthority, type CertificateKeyPair, createCertificateAuthority } from "pintle/tls";

/** An HTTPS proxy between the API server and the operator's webhook server. It stays up while the operator restarts. */
export interface WebhookProxy extends AsyncDisposable {
  readonly port: number;
  /** Port and certificate of the operator's webhook server on the loopback interface. */
  readonly upstream: { readonly port: number; readonly pair: CertificateKeyPair };
  /** PEM of the CA certificate. */
  readonly caBundle: string;
  /** Resolves when the operator's webhook server accepts connections; rejects with the signal's reason. */
  waitForUpstream(signal: AbortSignal): Promise<void>;
  /** Called with the path of every request. */
  onRequest: (path: string) => void;
}

/** How long a request is retried while the operator restarts, unless it has its own timeout parameter. */
const DEFAULT_RETRY_MS = 5_000;
/** The longest timeout of a webhook. */
const MAX_RETRY_MS = 30_000;
/** What the operator's webhook server accepts. */
const MAX_BODY_BYTES = 7 * 1024 * 1024;
const TIMEOUT_MARGIN_MS = 500;
const RETRY_DELAY_MS = 50;
const HOST = "127.0.0.1";

/** Listens on `host` with a certificate for `names` and forwards requests to the operator. */
export async function startWebhookProxy(host: string, names: readonly string[]): Promise<WebhookProxy> {
  const ca: CertificateAuthority = createCertificateAuthority("pintle-dev", Date.now());
  const pair = ca.issueServerCertificate({ commonName: names[0]! }, names);
  const upstream = { port: await freePort(), pair: ca.issueServerCertificate({ commonName: "localhost" }, ["localhost", HOST]) };
  const agent = new Agent({ keepAlive: true, ca: ca.certificate, servername: "localhost" });
  const proxy = { onRequest: (_: string) => {} };
  const checkRequest = createRequestGuard({ host: undefined });

  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const refusal = checkRequest(request);
    if (refusal !== undefined) return refuse(response, refusal.status, refusal.message);
    proxy.onRequest(request.url ?? "/");
    const body = await readBoundedBody(request, MAX_BODY_BYTES).catch((error: unknown) => {
      if (error instanceof BodyTooLarge) return undefined;
      throw error;
    });
    if (body === undefined) return refuse(response, 413, `the body is larger than ${MAX_BODY_BYTES} bytes`);
    const budgetMs = retryBudgetMs(request.url ?? "");
    const deadline = systemClock.monotonic() + budgetMs;
    for (;;) {
      try {
        const reply = await sendUpstream(body, request);
        response.writeHead(reply.status, { "content-type": reply.type, "content-length": reply.body.length }).end(reply.body);
        return;
      } catch {
        if (systemClock.monotonic() > deadline || response.destroyed) break;
        await systemClock.sleep(RETRY_DELAY_MS);
      }
    }
    refuse(response, 503, `the operator did not restart within ${budgetMs / 1000}s`);
  };
  const sendUpstream = (body: Buffer, { method, url, headers }: IncomingMessage) =>
    new Promise<{ readonly status: number; readonly type: string; readonly body: Buffer }>((resolve, reject) => {
      const forwarded = { "content-type": headers["content-type"] ?? "", "content-length": body.length };
      const outgoing = httpsRequest({ host: HOST, port: upstream.port, path: url, method, agent, headers: forwarded }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (part: Buffer) => chunks.push(part));
        response.on("error", reject);
        const type = response.headers["content-type"] ?? "";
        response.on("end", () => resolve({ status: response.statusCode ?? 502, type, body: Buffer.concat(chunks) }));
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });

  const server = createServer({ cert: pair.certificate, key: pair.key }, (request, response) => {
    runInBackground(forward(request, response), () => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, host, () => resolve());
  });
  return Object.assign(proxy, {
    port: (server.address() as AddressInfo).port,
    upstream,
    caBundle: ca.certificate,
    async waitForUpstream(signal: AbortSignal) {
      while (!(await isListening(upstream.port))) await systemClock.sleep(RETRY_DELAY_MS, signal);
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  });
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(`${message}\n`);
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

function retryBudgetMs(url: string): number {
  const [, seconds] = /[?&]timeout=(\d+)s\b/.exec(url) ?? [];
  if (seconds === undefined) return DEFAULT_RETRY_MS;
  return Math.max(Math.min(Number(seconds) * 1000, MAX_RETRY_MS) - TIMEOUT_MARGIN_MS, TIMEOUT_MARGIN_MS);
}

/** Returns a port that is free now. */
async function freePort(): Promise<number> {
  const server = createPlainServer();
  await new Promise<void>((resolve) => server.listen(0, HOST, () => resolve()));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
