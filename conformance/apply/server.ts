import { readFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import type { JsonObject } from "pintle/kinds";

export interface RealResponse {
  readonly code: number;
  readonly body: JsonObject;
}

/** A client of the real API server. */
export interface ApplyServer {
  send(method: string, path: string, body?: unknown, contentType?: string): Promise<RealResponse>;
  close(): void;
}

export async function connectServer(kubeconfig: string): Promise<ApplyServer> {
  const config = await readFile(kubeconfig, "utf8");
  const value = (key: string) => new RegExp(`${key}: (\\S+)`).exec(config)?.[1] ?? "";
  const pem = (key: string) => Buffer.from(value(key), "base64").toString();
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 8,
    ca: pem("certificate-authority-data"),
    cert: pem("client-certificate-data"),
    key: pem("client-key-data"),
  });
  const url = value("server");
  return {
    async send(method, path, body, contentType = "application/json") {
      const headers = { "content-type": contentType, accept: "application/json" };
      return new Promise<RealResponse>((resolve, reject) => {
        request(new URL(path, url), { method, headers, agent })
          .on("response", (response) => {
            const isJson = response.headers["content-type"]?.startsWith("application/json");
            const read = (body: string) => resolve({ code: response.statusCode ?? 0, body: isJson ? JSON.parse(body) : { message: body } });
            text(response).then(read).catch(reject);
          })
          .on("error", reject)
          .end(body === undefined ? undefined : JSON.stringify(body));
      });
    },
    close: () => agent.destroy(),
  };
}
