import { readFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { parse } from "yaml";

export interface ServerRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** A bearer token; default: the administrator's certificate; "": an anonymous request. */
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
}
export interface ServerReply {
  readonly code: number;
  /** Parsed JSON, or the text if it is not JSON. */
  readonly body: any;
}
/** An API server, real or embedded. */
export interface AccessServer {
  readonly kubeconfig: string;
  readonly url: string;
  send(request: ServerRequest): Promise<ServerReply>;
  stop(): Promise<void>;
}

/** Connects to the server of a kubeconfig. */
export async function connectServer(kubeconfig: string, stop: () => Promise<void>): Promise<AccessServer> {
  const config = parse(await readFile(kubeconfig, "utf8"));
  const decodeBase64 = (data: string) => Buffer.from(data, "base64");
  const { server: url, "certificate-authority-data": authority } = config.clusters[0].cluster;
  const { "client-certificate-data": certificate, "client-key-data": key } = config.users[0].user;
  const admin = new Agent({ keepAlive: true, ca: decodeBase64(authority), cert: decodeBase64(certificate), key: decodeBase64(key) });
  const anonymous = new Agent({ keepAlive: true, ca: decodeBase64(authority) });
  const send = ({ method, path, body, token, headers }: ServerRequest) =>
    new Promise<ServerReply>((resolve, reject) => {
      const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
      const all = {
        "content-type": "application/json",
        "user-agent": "test",
        // Node sends a DELETE body without content-length.
        "content-length": String(bytes.length),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(headers as Record<string, string | string[]> | undefined),
      };
      request(new URL(path, url), { method, agent: token === undefined ? admin : anonymous, headers: all })
        .on("response", (response) => {
          text(response).then((answer) => resolve({ code: response.statusCode ?? 0, body: parseBody(answer) }), reject);
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
      anonymous.destroy();
      await stop();
    },
  };
}

function parseBody(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return answer;
  }
}
