import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

/** How the etcd of the cluster is reached. */
export interface EtcdClientConfig {
  /** "https://127.0.0.1:2379". */
  readonly endpoints: readonly string[];
  /** PEM: the certificate authority, and the client certificate with its key. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

const TIMEOUT = 2_000;

/** Fetches the version ("3.6.4") from the first endpoint that responds; undefined if none does. */
export async function fetchEtcdVersion({ endpoints, ca, cert, key }: EtcdClientConfig): Promise<string | undefined> {
  for (const endpoint of endpoints) {
    const text = await new Promise<string>((resolve, reject) => {
      const url = new URL("/version", endpoint);
      const send = url.protocol === "https:" ? httpsRequest : httpRequest;
      const request = send(url, { ca, cert, key, timeout: TIMEOUT, agent: false }, (response) => {
        let body = "";
        response.on("data", (chunk: Buffer) => (body += chunk.toString()));
        response.on("end", () => resolve(body));
        response.on("error", reject);
      });
      request.on("timeout", () => request.destroy(new Error("no response")));
      request.on("error", reject);
      request.end();
    }).catch(() => "");
    const version = /"etcdserver":\s*"([^"]+)"/.exec(text)?.[1];
    if (version !== undefined) return version;
  }
  return undefined;
}
