import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { parse } from "yaml";
import type { Attack } from "./attack.ts";

/** What came back: of a Status its words, of anything else only that it came. */
export interface Answer {
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

export function credentialsOf(kubeconfig: string): Credentials {
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

export interface Exchange {
  send(attack: Attack): Promise<Answer>;
  /** The JSON of one answer, whole. */
  json(method: string, path: string, body?: unknown): Promise<any>;
  close(): void;
}

/** A well-meant connection over which to send what is not. */
export function exchange({ url, ca, cert, key }: Credentials): Exchange {
  const agent = new Agent({ keepAlive: true, maxSockets: 4, ca, cert, key });
  const ask = ({ method, path, headers, body }: Omit<Attack, "name">): Promise<{ code: number; body: string }> =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": String(body.length) };
      const sent = request({ host: url.hostname, port: url.port, agent, method, path, headers: { ...headers, ...length } });
      // An answer may come before all was sent: what fails after it is of no interest.
      let answered = false;
      sent.on("response", (response) => {
        answered = true;
        // Nobody waits for the end of a watch.
        if (/[?&]watch=1/.test(path) && response.statusCode === 200) {
          response.once("data", () => {});
          resolve({ code: 200, body: "" });
          sent.destroy();
          return;
        }
        text(response).then((body) => resolve({ code: response.statusCode ?? 0, body }), reject);
      });
      sent.on("error", (error) => {
        if (!answered) reject(error);
      });
      sent.end(body);
    });
  return {
    async send(attack) {
      const { code, body } = await ask(attack);
      if (code < 400) return { code };
      const status = body.startsWith("{") ? JSON.parse(body) : body.startsWith("kind: Status") ? parse(body) : undefined;
      return status === undefined ? { code, message: body.trim() } : { code, reason: status.reason ?? "", message: status.message };
    },
    async json(method, path, body) {
      const answer = await ask({
        method,
        path,
        headers: { "content-type": "application/json" },
        body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      });
      return answer.body.startsWith("{") ? JSON.parse(answer.body) : answer.body;
    },
    close: () => agent.destroy(),
  };
}
