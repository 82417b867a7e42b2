import { request } from "node:https";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { KeyPair } from "../certificates/certificates.ts";

const pollMs = 50;
const answerLimitMs = 10_000;

export interface Api {
  /** The response body, or undefined while the server does not respond with success. */
  get(path: string): Promise<string | undefined>;
  post(path: string, body: object): Promise<void>;
  /** Server-side apply, as pintle's clients do by default: applying the same object again changes nothing. */
  apply(path: string, body: object): Promise<void>;
}

/** The requests needed to start a control plane. */
export function createApi(server: string, authority: string, user: KeyPair): Api {
  const send = async (method: string, path: string, body?: object) => {
    const tls = { ca: authority, cert: user.certificate, key: user.key };
    const headers = { "content-type": method === "PATCH" ? "application/apply-patch+yaml" : "application/json" };
    return new Promise<{ status: number; body: string }>((resolve, reject) => {
      const signal = AbortSignal.timeout(answerLimitMs);
      request(new URL(path, server), { method, headers, signal, agent: false, ...tls })
        .on("response", (response) => {
          text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
        })
        .on("error", reject)
        .end(body && JSON.stringify(body));
    });
  };
  return {
    get: async (path) => {
      // A starting server refuses connections; that counts as "not ready".
      const answer = await send("GET", path).catch(() => undefined);
      return answer?.status === 200 ? answer.body : undefined;
    },
    post: async (path, object) => {
      const { status, body } = await send("POST", path, object);
      if (status !== 201) throw new Error(`POST ${path} returned ${status}: ${body}`);
    },
    apply: async (path, object) => {
      const { status, body } = await send("PATCH", `${path}?fieldManager=pintle`, object);
      if (status !== 201) throw new Error(`PATCH ${path} returned ${status}: ${body}`);
    },
  };
}

/** Polls until `answer` resolves to true; throws the signal's reason when it aborts. */
export async function waitUntil(answer: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await answer())) {
    signal.throwIfAborted();
    await delay(pollMs);
  }
}
