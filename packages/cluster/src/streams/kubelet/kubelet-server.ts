import type { CertificateKeyPair } from "pintle/tls";
import { type Listener, listenHttps, resolveUser, type TokenAuthenticator, type UserInfo } from "../../api/index.ts";
import type { NodeStreams } from "../../node/index.ts";
import { createKubeletHandler } from "./kubelet-handler.ts";

/** The options of `startKubeletServer()`. */
export interface KubeletServerOptions {
  /** The streams of the node. */
  readonly streams: NodeStreams;
  /** The name of the node in its reports. */
  readonly node: string;
  /** The serving certificate and its key. */
  readonly keys: CertificateKeyPair;
  /** PEM: the certificate authority of the client certificates. */
  readonly clientCa: string;
  /** Authenticates bearer tokens. Default: none. */
  readonly tokenAuthenticator?: TokenAuthenticator | undefined;
  /** Authorizes a user. Default: every authenticated one. */
  allows?(user: UserInfo): boolean;
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default: any free port. */
  readonly port?: number | undefined;
}

const NO_TOKENS: TokenAuthenticator = { authenticate: async () => undefined };
const UNAUTHENTICATED_GROUP = "system:unauthenticated";

/**
 * Starts a kubelet's HTTPS port for a node of this process, over which any API server reaches its containers.
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { type NodeStreams, startKubeletServer } from "@pintle/cluster";
 *
 * export async function serveKubelet(streams: NodeStreams): Promise<number> {
 *   const server = await startKubeletServer({
 *     streams,
 *     node: "node-1",
 *     keys: { certificate: readFileSync("kubelet.crt", "utf8"), key: readFileSync("kubelet.key", "utf8") },
 *     clientCa: readFileSync("ca.crt", "utf8"),
 *   });
 *   return server.port;
 * }
 * ```
 */
export function startKubeletServer(options: KubeletServerOptions): Promise<Listener> {
  const { streams, node, keys, clientCa, tokenAuthenticator = NO_TOKENS, host = "127.0.0.1", port = 0 } = options;
  const allows = options.allows ?? (({ groups }: UserInfo) => groups?.includes(UNAUTHENTICATED_GROUP) !== true);
  const handleRequest = createKubeletHandler(streams, node);
  return listenHttps(
    {
      handle: async (request) =>
        allows(await resolveUser(request))
          ? handleRequest(request)
          : { status: 401, headers: {}, body: { type: "bytes", bytes: Buffer.from("Unauthorized") } },
    },
    { host, port, keys, clientAuthority: clientCa, tokens: tokenAuthenticator },
  );
}
