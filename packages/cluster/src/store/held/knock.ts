import { request as plain } from "node:http";
import { request as secure } from "node:https";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { DEFAULT_PREFIX, PREFIX, PROTOCOL } from "../../hold/index.ts";
import type { EtcdPlace } from "../open-store.ts";
import { StoreError } from "../store.ts";

export type Knock =
  | { readonly type: "holder"; readonly socket: Socket; readonly head: Buffer }
  /** A real etcd answers, or something that should be one. */
  | { readonly type: "other" }
  /** The drop-in etcd works for somebody else. */
  | { readonly type: "taken"; readonly why: string };

/** Asks an endpoint what it is, and for the objects if it holds them for us. Throws StoreError when nobody answers. */
export function knock(endpoint: string, { prefix = DEFAULT_PREFIX, ca, cert, key }: EtcdPlace): Promise<Knock> {
  const url = new URL("/version", endpoint);
  const headers = { connection: "Upgrade", upgrade: PROTOCOL, [PREFIX]: prefix };
  return new Promise((resolve, reject) => {
    // Without an agent: the connection is kept, or nobody needs it.
    const asked = url.protocol === "https:" ? secure(url, { headers, agent: false, ca, cert, key }) : plain(url, { headers, agent: false });
    asked.once("upgrade", (_answer, socket, head) => resolve({ type: "holder", socket, head }));
    asked.once("response", (answer) => {
      if (answer.statusCode !== 409) {
        answer.resume();
        resolve({ type: "other" });
      } else text(answer).then((why) => resolve({ type: "taken", why }), reject);
    });
    asked.once("error", (error) => reject(new StoreError(`etcd at ${endpoint} does not answer: ${error.message}`)));
    asked.end();
  });
}
