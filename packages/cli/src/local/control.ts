import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** What somebody wishes of a cluster: answered with a text, or an error's. */
export interface Wish {
  readonly verb: string;
  done(text?: string): void;
  failed(why: string): void;
}
export interface Control extends AsyncDisposable {
  readonly address: string;
  readonly token: string;
  /** The next wish; rejects with the signal's reason when it aborts. */
  next(signal: AbortSignal): Promise<Wish>;
}

/** Listens on loopback for wishes of whoever has the token. */
export async function control(): Promise<Control> {
  const token = randomBytes(24).toString("hex");
  const waiting: Wish[] = [];
  let heard: (() => void) | undefined;
  const server = createServer((request, response) => {
    if (!knows(request, token)) {
      response.writeHead(401).end();
      return;
    }
    const answer = (status: number, text: string) =>
      response.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(text);
    waiting.push({ verb: (request.url ?? "/").slice(1), done: (text = "") => answer(200, text), failed: (why) => answer(500, why) });
    heard?.();
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    async next(signal) {
      while (waiting.length === 0) {
        signal.throwIfAborted();
        await new Promise<void>((resolve) => {
          heard = resolve;
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      }
      return waiting.shift()!;
    },
    async [Symbol.asyncDispose]() {
      for (const wish of waiting) wish.failed("the cluster is stopping");
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      });
    },
  };
}

function knows({ headers }: IncomingMessage, token: string): boolean {
  const [given, wanted] = [Buffer.from(headers.authorization ?? ""), Buffer.from(`Bearer ${token}`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
