import { request } from "node:https";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { KeyPair } from "./certificates.ts";

const pollMs = 50;
const answerLimitMs = 10_000;

export interface Api {
  /** The body, or undefined while the server does not answer with success. */
  get(path: string): Promise<string | undefined>;
  post(path: string, body: object): Promise<void>;
  /** Server-side, as pintle's clients do it by default: whoever applies the same later changes nothing. */
  apply(path: string, body: object): Promise<void>;
}

/** The requests that starting a control plane takes. */
export function api(server: string, authority: string, user: KeyPair): Api {
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
      // A server that is just starting refuses connections; that is an answer too.
      const answer = await send("GET", path).catch(() => undefined);
      return answer?.status === 200 ? answer.body : undefined;
    },
    post: async (path, object) => {
      const { status, body } = await send("POST", path, object);
      if (status !== 201) throw new Error(`POST ${path} answered ${status}: ${body}`);
    },
    apply: async (path, object) => {
      const { status, body } = await send("PATCH", `${path}?fieldManager=pintle`, object);
      if (status !== 201) throw new Error(`PATCH ${path} answered ${status}: ${body}`);
    },
  };
}

/** Asks again and again until the answer is true; throws the signal's reason when it aborts. */
export async function until(answer: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await answer())) {
    signal.throwIfAborted();
    await delay(pollMs);
  }
}
