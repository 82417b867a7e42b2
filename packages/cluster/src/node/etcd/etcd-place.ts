import { request as plain } from "node:http";
import { request as secure } from "node:https";

/** Where the cluster's objects are kept. */
export interface EtcdPlace {
  /** "https://127.0.0.1:2379". */
  readonly endpoints: readonly string[];
  /** PEM: whom to trust, and who we are. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

const PATIENCE = 2_000;

/** "3.6.4", of the first that answers; undefined when none does. */
export async function versionOf({ endpoints, ca, cert, key }: EtcdPlace): Promise<string | undefined> {
  for (const endpoint of endpoints) {
    const text = await new Promise<string>((resolve, reject) => {
      const url = new URL("/version", endpoint);
      const ask = url.protocol === "https:" ? secure : plain;
      const asking = ask(url, { ca, cert, key, timeout: PATIENCE, agent: false }, (answer) => {
        let said = "";
        answer.on("data", (chunk: Buffer) => (said += chunk.toString()));
        answer.on("end", () => resolve(said));
        answer.on("error", reject);
      });
      asking.on("timeout", () => asking.destroy(new Error("no answer")));
      asking.on("error", reject);
      asking.end();
    }).catch(() => "");
    const found = /"etcdserver":\s*"([^"]+)"/.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}
