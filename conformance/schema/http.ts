import { readFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import type { JsonObject } from "pintle/kinds";
import { parse } from "yaml";

export interface HttpReply {
  readonly code: number;
  readonly body: JsonObject;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
}

export interface HttpServer {
  send(method: string, path: string, body?: JsonObject, type?: string): Promise<HttpReply>;
}

/** Creates a client of the server that a kubeconfig points at. */
export async function createServer(kubeconfig: string): Promise<HttpServer> {
  const config = parse(await readFile(kubeconfig, "utf8"));
  const { server: url, "certificate-authority-data": ca } = config.clusters[0].cluster;
  const { "client-certificate-data": cert, "client-key-data": key } = config.users[0].user;
  const decodeBase64 = (data: string) => Buffer.from(data, "base64");
  const agent = new Agent({ keepAlive: true, ca: decodeBase64(ca), cert: decodeBase64(cert), key: decodeBase64(key) });
  return {
    send: (method, path, body, type = "application/json") =>
      new Promise((resolve, reject) => {
        request(new URL(path, url), { method, agent, headers: { "content-type": type } })
          .on("response", (response) => {
            text(response).then(
              (answer) => resolve({ code: response.statusCode ?? 0, body: json(answer), warnings: warnings(response.headers.warning) }),
              reject,
            );
          })
          .on("error", reject)
          .end(body && JSON.stringify(body));
      }),
  };
}

function warnings(header: string | undefined): string[] {
  return [...(header ?? "").matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, quoted]) => quoted!.replace(/\\(.)/g, "$1"));
}

/** A path that is not served yet returns plain text. */
function json(text: string): JsonObject {
  return text.startsWith("{") ? JSON.parse(text) : { message: text };
}
