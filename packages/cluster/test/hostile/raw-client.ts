import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { parse } from "yaml";
import type { HostileRequest } from "./hostile-request.ts";

/** A summary of a response: code, and reason and message of a Status. */
export interface ResponseSummary {
  readonly code: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

export interface Credentials {
  readonly url: URL;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export function readCredentials(kubeconfig: string): Credentials {
  const config = parse(kubeconfig);
  const pem = (data: string) => Buffer.from(data, "base64").toString();
  const { cluster } = config.clusters[0];
  const { user } = config.users[0];
  return {
    url: new URL(cluster.server),
    ca: pem(cluster["certificate-authority-data"]),
    cert: pem(user["client-certificate-data"]),
    key: pem(user["client-key-data"]),
  };
}

export interface RawClient {
  send(hostileRequest: HostileRequest): Promise<ResponseSummary>;
  /** Sends a request and returns the JSON of its response. */
  json(method: string, path: string, body?: unknown): Promise<any>;
  close(): void;
}

/** Creates a client that sends hostile requests over a valid connection. */
export function createRawClient({ url, ca, cert, key }: Credentials): RawClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 4, ca, cert, key });
  const sendRequest = ({ method, path, headers, body }: Omit<HostileRequest, "name">): Promise<{ code: number; body: string }> =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": String(body.length) };
      const sent = request({ host: url.hostname, port: url.port, agent, method, path, headers: { ...headers, ...length } });
      // A response may come before everything is sent: later errors do not matter.
      let hasResponded = false;
      sent.on("response", (response) => {
        hasResponded = true;
        // The response of a watch has no end.
        if (/[?&]watch=1/.test(path) && response.statusCode === 200) {
          response.once("data", () => {});
          resolve({ code: 200, body: "" });
          sent.destroy();
          return;
        }
        text(response).then((body) => resolve({ code: response.statusCode ?? 0, body }), reject);
      });
      sent.on("error", (error) => {
        if (!hasResponded) reject(error);
      });
      sent.end(body);
    });
  return {
    async send(hostileRequest) {
      const { code, body } = await sendRequest(hostileRequest);
      if (code < 400) return { code };
      const status = body.startsWith("{") ? JSON.parse(body) : body.startsWith("kind: Status") ? parse(body) : undefined;
      return status === undefined ? { code, message: body.trim() } : { code, reason: status.reason ?? "", message: status.message };
    },
    async json(method, path, body) {
      const result = await sendRequest({
        method,
        path,
        headers: { "content-type": "application/json" },
        body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      });
      return result.body.startsWith("{") ? JSON.parse(result.body) : result.body;
    },
    close: () => agent.destroy(),
  };
}
