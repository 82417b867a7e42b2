import { readFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { parse } from "yaml";

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** A bearer token; default: the administrator's certificate. "": anonymously. */
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
}
export interface Reply {
  readonly code: number;
  /** JSON, or what else came. */
  readonly body: any;
}
/** One API server, real or ours. */
export interface Server {
  readonly kubeconfig: string;
  readonly url: string;
  send(request: Request): Promise<Reply>;
  stop(): Promise<void>;
}

/** Requests to the server a kubeconfig points at. */
export async function serverAt(kubeconfig: string, stop: () => Promise<void>): Promise<Server> {
  const config = parse(await readFile(kubeconfig, "utf8"));
  const decoded = (data: string) => Buffer.from(data, "base64");
  const { server: url, "certificate-authority-data": authority } = config.clusters[0].cluster;
  const { "client-certificate-data": certificate, "client-key-data": key } = config.users[0].user;
  const admin = new Agent({ keepAlive: true, ca: decoded(authority), cert: decoded(certificate), key: decoded(key) });
  const nobody = new Agent({ keepAlive: true, ca: decoded(authority) });
  const send = ({ method, path, body, token, headers }: Request) =>
    new Promise<Reply>((resolve, reject) => {
      const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
      const all = {
        "content-type": "application/json",
        "user-agent": "test",
        // Node sends the body of a DELETE without saying how long it is.
        "content-length": String(bytes.length),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(headers as Record<string, string | string[]> | undefined),
      };
      request(new URL(path, url), { method, agent: token === undefined ? admin : nobody, headers: all })
        .on("response", (response) => {
          text(response).then((answer) => resolve({ code: response.statusCode ?? 0, body: parsed(answer) }), reject);
        })
        .on("error", reject)
        .end(bytes);
    });
  return {
    kubeconfig,
    url,
    send,
    async stop() {
      admin.destroy();
      nobody.destroy();
      await stop();
    },
  };
}

function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return answer;
  }
}
