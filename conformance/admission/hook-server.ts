import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { certificateAuthority } from "../real/certificates.ts";

/** What a webhook does with a review: answers it, with an HTTP answer of any kind, or not at all. */
export type Program = (review: any) => Reply | Promise<Reply>;
export type Reply =
  | { readonly json: unknown }
  | { readonly status: number; readonly type?: string; readonly text: string }
  | "hang"
  | "close";

/** Webhooks at work, each at a path of its own, for both servers; every review they get is kept. */
export interface HookServer {
  readonly url: string;
  /** PEM in base64. */
  readonly caBundle: string;
  /** An authority that has nothing to do with this server. */
  readonly otherCaBundle: string;
  program(path: string, program: Program): void;
  /** Reviews that came to paths that begin so, in the order they came. */
  reviews(prefix: string): readonly { readonly path: string; readonly review: any }[];
  close(): Promise<void>;
}

export async function hookServer(): Promise<HookServer> {
  const authority = certificateAuthority("hooks");
  const keys = authority.server({ commonName: "hooks" }, ["127.0.0.1", "localhost", "hooks.default.svc"]);
  const programs = new Map<string, Program>();
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
  // Nobody should find a connection closed that they were about to use.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: base64(authority.certificate),
    otherCaBundle: base64(certificateAuthority("others").certificate),
    program: (path, program) => void programs.set(path, program),
    reviews: (prefix) => seen.filter(({ path }) => path.startsWith(prefix)),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
