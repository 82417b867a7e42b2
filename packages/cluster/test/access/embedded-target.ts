import { request } from "node:https";
import { text } from "node:stream/consumers";
import { parse } from "yaml";
import { startCluster } from "../../src/index.ts";
import { kubelets, users } from "./rbac-fixtures.ts";
import type { ScenarioTarget } from "./scenario.ts";

/** Starts the embedded API server over HTTPS; policy changes and token deletions apply immediately. */
export async function startEmbeddedTarget(): Promise<ScenarioTarget & AsyncDisposable> {
  const cluster = await startCluster({ without: true, http: true, tokens: { ...users, ...kubelets } });
  const { clusters, users: known } = parse(cluster.kubeconfig);
  const decodeBase64 = (data: string) => Buffer.from(data, "base64");
  const ca = decodeBase64(clusters[0].cluster["certificate-authority-data"]);
  const admin = { cert: decodeBase64(known[0].user["client-certificate-data"]), key: decodeBase64(known[0].user["client-key-data"]) };
  return {
    policySettled: async () => {},
    tokenCacheExpired: async () => {},
    [Symbol.asyncDispose]: () => cluster.stop(),
    send: ({ method, path, body, token, headers }) =>
      new Promise((resolve, reject) => {
        const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
        const all = {
          "content-type": "application/json",
          "user-agent": "test",
          "content-length": String(bytes.length),
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(headers as Record<string, string | string[]> | undefined),
        };
        request(new URL(path, cluster.url), { method, ca, ...(token === undefined ? admin : {}), headers: all })
          .on("response", (response) => {
            text(response).then((answer) => resolve({ code: response.statusCode ?? 0, body: parseBody(answer) }), reject);
          })
          .on("error", reject)
          .end(bytes);
      }),
  };
}

function parseBody(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return answer;
  }
}
