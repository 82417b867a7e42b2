import { readFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { parse } from "yaml";
import type { SendRequest } from "../../packages/cluster/test/builtin/run-case.ts";

/** Connects to the server of a kubeconfig. */
export async function connectRealServer(kubeconfig: string): Promise<SendRequest> {
  const config = parse(await readFile(kubeconfig, "utf8"));
  const { server, "certificate-authority-data": ca } = config.clusters[0].cluster;
  const { "client-certificate-data": cert, "client-key-data": key } = config.users[0].user;
  const decodeBase64 = (data: string) => Buffer.from(data, "base64");
  const agent = new Agent({ keepAlive: true, ca: decodeBase64(ca), cert: decodeBase64(cert), key: decodeBase64(key) });
  return ({ method, path, body, type = "application/json", accept = "application/json" }) =>
    new Promise((resolve, reject) => {
      const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
      // Node sends a DELETE body without content-length.
      const headers = { "content-type": type, accept, "user-agent": "test", "content-length": bytes.length };
      request(new URL(path, server), { method, agent, headers })
        .on("response", (response) => {
          text(response).then((answer) => {
            resolve({ code: response.statusCode ?? 0, body: JSON.parse(answer), warnings: parseWarnings(response.headers.warning) });
          }, reject);
        })
        .on("error", reject)
        .end(bytes);
    });
}

function parseWarnings(header: string | undefined): string[] {
  return [...(header ?? "").matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, quoted]) => quoted!.replace(/\\(.)/g, "$1"));
}
