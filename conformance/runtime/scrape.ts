import { request } from "node:https";
import type { TLSSocket } from "node:tls";

export interface ScrapeResponse {
  readonly status: number;
  readonly body: string;
  /** Fingerprint of the serving certificate. */
  readonly fingerprint: string;
}

/** Sends one GET on a connection of its own, like `curl --cacert`. */
export function scrape(url: string, options: { readonly ca?: string; readonly token?: string } = {}): Promise<ScrapeResponse> {
  const { ca, token } = options;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers, agent: false, ...(ca === undefined ? { rejectUnauthorized: false } : { ca }) }, (response) => {
      const { fingerprint256: fingerprint } = (response.socket as TLSSocket).getPeerCertificate();
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (text) => {
        body += text;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body, fingerprint }));
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}
