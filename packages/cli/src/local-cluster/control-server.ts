import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onAbort } from "pintle/internal/clock";
import { createRequestGuard } from "pintle/internal/loopback";

/** A request to the process that runs a cluster; answered with a text or an error message. */
export interface ControlRequest {
  readonly verb: string;
  succeed(text?: string): void;
  fail(why: string): void;
}
export interface ControlServer extends AsyncDisposable {
  readonly address: string;
  readonly token: string;
  /** Resolves with the next request; rejects with the signal's reason. */
  nextRequest(signal: AbortSignal): Promise<ControlRequest>;
}

const HOST = "127.0.0.1";

/** Listens on the loopback interface for requests with the bearer token. */
export async function startControlServer(): Promise<ControlServer> {
  const token = randomBytes(24).toString("hex");
  const pending: ControlRequest[] = [];
  let notifyWaiter: (() => void) | undefined;
  const checkRequest = createRequestGuard({ host: HOST });
  const server = createServer((request, response) => {
    const refusal = checkRequest(request);
    if (refusal !== undefined) {
      response.writeHead(refusal.status, { "content-type": "text/plain", connection: "close" }).end(`${refusal.message}\n`);
      return;
    }
    if (!isAuthorized(request, token)) {
      response.writeHead(401).end();
      return;
    }
    const respond = (status: number, text: string) =>
      response.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(text);
    pending.push({ verb: (request.url ?? "/").slice(1), succeed: (text = "") => respond(200, text), fail: (why) => respond(500, why) });
    notifyWaiter?.();
  });
  await new Promise<void>((resolve, reject) => server.on("error", reject).listen(0, HOST, resolve));
  return {
    address: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    token,
    async nextRequest(signal) {
      while (pending.length === 0) {
        signal.throwIfAborted();
        await new Promise<void>((resolve) => {
          const removeListener = onAbort(signal, resolve);
          notifyWaiter = () => {
            removeListener();
            resolve();
          };
        });
      }
      return pending.shift()!;
    },
    async [Symbol.asyncDispose]() {
      for (const wish of pending) wish.fail("the cluster is stopping");
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      });
    },
  };
}

function isAuthorized({ headers }: IncomingMessage, token: string): boolean {
  const [actual, expected] = [Buffer.from(headers.authorization ?? ""), Buffer.from(`Bearer ${token}`)];
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
