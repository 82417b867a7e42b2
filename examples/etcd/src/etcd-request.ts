import { request as overHttp, type RequestOptions } from "node:http";
import { request as overHttps } from "node:https";

/** CA certificate and client certificate, as PEM. */
export interface Credentials {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** The client endpoint of a member. */
export interface Endpoint {
  readonly member: string;
  /** For example http://10.244.0.7:2379. */
  readonly url: string;
  /** Server name that the certificate must have. */
  readonly host: string;
}

export interface EtcdRequest {
  readonly endpoint: Endpoint;
  /** Path of etcd's JSON gateway: "cluster/member/list". */
  readonly path: string;
  readonly body: object;
  readonly credentials?: Credentials | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}
export interface EtcdResponse {
  readonly ok: boolean;
  readonly body: Readonly<Record<string, unknown>>;
}
/** Sends a request to a member. Rejects if there is no response. */
export type SendEtcdRequest = (question: EtcdRequest) => Promise<EtcdResponse>;

/** Opens a connection per request, because members and their addresses change. */
export const sendEtcdRequest: SendEtcdRequest = ({ endpoint, path, body, credentials, timeoutMs, signal }) =>
  new Promise((resolve, reject) => {
    const url = new URL(`/v3/${path}`, endpoint.url);
    const options: RequestOptions = { method: "POST", agent: false, signal };
    const request =
      credentials === undefined
        ? overHttp(url, options)
        : overHttps(url, {
            ...options,
            ca: credentials.ca,
            cert: credentials.certificate,
            key: credentials.key,
            servername: endpoint.host,
          });
    const timer = setTimeout(() => request.destroy(new Error(`${endpoint.member} ${path}: no response within ${timeoutMs} ms`)), timeoutMs);
    request.on("close", () => clearTimeout(timer));
    request.on("error", reject).on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("error", reject);
      response.on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => {
        try {
          resolve({ ok: response.statusCode === 200, body: JSON.parse(text) as Record<string, unknown> });
        } catch {
          reject(new Error(`${endpoint.member} ${path}: ${response.statusCode} ${text.slice(0, 200)}`));
        }
      });
    });
    request.end(JSON.stringify(body));
  });
