import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { certificateAuthority } from "../real/certificates/certificates.ts";

/** Handles a review: returns a JSON body, any HTTP response, or closes the connection. */
export type WebhookHandler = (review: any) => WebhookReply | Promise<WebhookReply>;
export type WebhookReply =
  | { readonly json: unknown }
  | { readonly status: number; readonly type?: string; readonly text: string }
  | "hang"
  | "close";

/** A server of webhooks for both API servers, one path per webhook; records every review. */
export interface HookServer {
  readonly url: string;
  /** PEM in base64. */
  readonly caBundle: string;
  /** The bundle of an authority that did not sign this server's certificate. */
  readonly otherCaBundle: string;
  setHandler(path: string, program: WebhookHandler): void;
  /** The reviews received at paths with this prefix, in order. */
  reviews(prefix: string): readonly { readonly path: string; readonly review: any }[];
  close(): Promise<void>;
}

export async function startHookServer(): Promise<HookServer> {
  const authority = certificateAuthority("hooks");
  const keys = authority.server({ commonName: "hooks" }, ["127.0.0.1", "localhost", "hooks.default.svc"]);
  const programs = new Map<string, WebhookHandler>();
  const seen: { path: string; review: any }[] = [];
  const server: Server = createServer({ cert: keys.certificate, key: keys.key }, (request, response) => {
    const path = new URL(request.url ?? "/", "https://hooks").pathname;
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      const review = JSON.parse(Buffer.concat(chunks).toString());
      seen.push({ path, review });
      const reply = (await programs.get(path)?.(review)) ?? { status: 404, type: "text/plain", text: "no such hook" };
      if (reply === "hang") return;
      if (reply === "close") return void request.socket.destroy();
      if ("json" in reply) return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply.json));
      response.writeHead(reply.status, { "content-type": reply.type ?? "application/json" }).end(reply.text);
    });
  });
  // Prevents idle connections from closing while an API server is about to reuse them.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: base64(authority.certificate),
    otherCaBundle: base64(certificateAuthority("others").certificate),
    setHandler: (path, program) => void programs.set(path, program),
    reviews: (prefix) => seen.filter(({ path }) => path.startsWith(prefix)),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
