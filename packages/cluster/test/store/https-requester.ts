import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { parse } from "yaml";

export interface RequestOutcome {
  readonly status: number;
  // Any JSON.
  readonly body: any;
}
export type SendHttpsRequest = (method: string, path: string, body?: unknown) => Promise<RequestOutcome>;

/** Creates a function that sends requests to the server of a kubeconfig over HTTPS, as its user or with a token. */
export function createHttpsRequester(kubeconfig: string, token?: string): SendHttpsRequest {
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
          text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: parseBody(answer) }), reject);
        })
        .on("error", reject)
        .end(bytes);
    });
}

/** Parses JSON, the events of an ended watch, or text. */
function parseBody(answer: string): unknown {
  if (!answer.startsWith("{")) return answer;
  const lines = answer.trimEnd().split("\n");
  return lines.length === 1 ? JSON.parse(answer) : lines.map((line) => JSON.parse(line));
}
