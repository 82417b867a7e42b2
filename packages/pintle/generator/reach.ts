import { connect, locate } from "pintle/client";
import type { Server } from "./arguments.ts";
import type { Get } from "./server.ts";

/** Lets `work` ask a cluster, found as kubectl would find it; `server` overrides the address in the kubeconfig. */
export async function reach<T>(at: Server, work: (get: Get) => Promise<T>): Promise<T> {
  const { server, kubeconfig } = at;
  const found = server !== undefined && kubeconfig === undefined ? undefined : await locate({ kubeconfig });
  const client = await connect({ access: server === undefined ? found : { ...found, server } });
  try {
    return await work(async (path) => {
      const [pathname, search] = path.split("?") as [string, string?];
      const query = Object.fromEntries(new URLSearchParams(search));
      const answer = await client.request({ method: "GET", path: pathname, query, headers: { accept: "application/json" } });
      return answer.json();
    });
  } finally {
    await client.close();
  }
}
