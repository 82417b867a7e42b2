import { type Listener, listenSecurely, type TokenAuthenticator, type UserInfo } from "../../api/index.ts";
import type { NodeStreams } from "../../node/index.ts";
import type { KeyPair } from "../../tls/index.ts";
import { kubeletAnswers } from "./answers.ts";

export interface KubeletOptions {
  readonly streams: NodeStreams;
  /** As its reports call it. */
  readonly node: string;
  readonly keys: KeyPair;
  /** PEM: who signs the certificates of those who may ask. */
  readonly clientAuthority: string;
  /** Whom bearer tokens stand for. Default: nobody. */
  readonly tokens?: TokenAuthenticator | undefined;
  /** Who may ask. Default: whoever has a certificate or a token. */
  allows?(user: UserInfo): boolean;
  /** Default: loopback. */
  readonly host?: string | undefined;
  /** Default: any free one. */
  readonly port?: number | undefined;
}

const NO_TOKENS: TokenAuthenticator = { authenticate: async () => undefined };
const UNKNOWN = "system:unauthenticated";

/** A kubelet's HTTPS port for a node of ours: what any API server asks of a node, over SPDY or WebSocket. */
export function kubeletServer(options: KubeletOptions): Promise<Listener> {
  const { streams, node, keys, clientAuthority, tokens = NO_TOKENS, host = "127.0.0.1", port = 0 } = options;
  const allows = options.allows ?? (({ groups }: UserInfo) => groups?.includes(UNKNOWN) !== true);
  const answer = kubeletAnswers(streams, node);
  return listenSecurely(
    {
      handle: async (request) =>
        allows(request.user) ? answer(request) : { status: 401, headers: {}, body: { type: "bytes", bytes: Buffer.from("Unauthorized") } },
    },
    { host, port, keys, clientAuthority, tokens },
  );
}
