import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { parse } from "yaml";

export interface Answer {
  readonly status: number;
  // Whatever the server says.
  readonly body: any;
}
export type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Asks the server of a kubeconfig over HTTPS: as its user, or with a token instead. */
export function asker(kubeconfig: string, token?: string): Ask {
  const config = parse(kubeconfig);
  const { server, "certificate-authority-data": ca } = config.clusters[0].cluster;
  const { "client-certificate-data": cert, "client-key-data": key } = config.users[0].user;
  const pem = (data: string | undefined) => Buffer.from(data ?? "", "base64");
  const who = token === undefined ? { cert: pem(cert), key: pem(key) } : {};
  const agent = new Agent({ keepAlive: true, ca: pem(ca), ...who });
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
      const headers = {
        "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
        "content-length": bytes.length,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      };
      request(new URL(path, server), { method, headers, agent })
        .on("response", (response) => {
          text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: parsed(answer) }), reject);
        })
        .on("error", reject)
        .end(bytes);
    });
}

/** JSON, or the events of a watch that has ended, or a text. */
function parsed(answer: string): unknown {
  if (!answer.startsWith("{")) return answer;
  const lines = answer.trimEnd().split("\n");
  return lines.length === 1 ? JSON.parse(answer) : lines.map((line) => JSON.parse(line));
}
