import { request as overHttp, type RequestOptions } from "node:http";
import { request as overHttps } from "node:https";

/** PEM texts: whom to trust, and who we are. */
export interface Credentials {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** Where a member answers. */
export interface Endpoint {
  readonly member: string;
  /** http://10.244.0.7:2379 */
  readonly url: string;
  /** The name its certificate must have. */
  readonly host: string;
}

export interface Question {
  readonly endpoint: Endpoint;
  /** Of etcd's JSON gateway: "cluster/member/list". */
  readonly path: string;
  readonly body: object;
  readonly credentials?: Credentials | undefined;
  /** Milliseconds. */
  readonly patience: number;
  readonly signal: AbortSignal;
}
export interface Answer {
  readonly ok: boolean;
  readonly body: Readonly<Record<string, unknown>>;
}
/** Asks a member of etcd. Rejects when there is no answer. */
export type Call = (question: Question) => Promise<Answer>;

/** A connection for every question: members come and go, and so do their addresses. */
export const call: Call = ({ endpoint, path, body, credentials, patience, signal }) =>
  new Promise((resolve, reject) => {
    const url = new URL(`/v3/${path}`, endpoint.url);
    const options: RequestOptions = { method: "POST", agent: false, signal };
    const request =
      credentials === undefined
        ? overHttp(url, options)
        : overHttps(url, {
            ...options,
            ca: credentials.authority,
            cert: credentials.certificate,
            key: credentials.key,
            servername: endpoint.host,
          });
    const late = setTimeout(() => request.destroy(new Error(`${endpoint.member} ${path}: no answer within ${patience} ms`)), patience);
    request.on("close", () => clearTimeout(late));
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
