import { request } from "node:https";
import type { TLSSocket } from "node:tls";

export interface Scraped {
  readonly status: number;
  readonly body: string;
  /** Of the certificate that was served. */
  readonly fingerprint: string;
}

/** What `curl --cacert` would see: one GET on a connection of its own. */
export function scraped(url: string, options: { readonly ca?: string; readonly token?: string } = {}): Promise<Scraped> {
  const { ca, token } = options;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, agent: false, ...(ca === undefined ? { rejectUnauthorized: false } : { ca }) }, (response) => {
      const { fingerprint256: fingerprint } = (response.socket as TLSSocket).getPeerCertificate();
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (text) => {
        body += text;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body, fingerprint }));
    });
    asked.on("error", reject);
    asked.end();
  });
}
