import { connect, loadClusterAccess } from "pintle/client";
import type { ServerAddress } from "../arguments.ts";
import type { GetJson } from "./fetch-documents.ts";

/** Calls `work` with a GET function for a cluster, which is located as kubectl does; `server` overrides the address in the kubeconfig. */
export async function withCluster<T>(at: ServerAddress, work: (get: GetJson) => Promise<T>): Promise<T> {
  const { server, kubeconfig } = at;
  const found = server !== undefined && kubeconfig === undefined ? undefined : await loadClusterAccess({ kubeconfig });
  const client = await connect({ access: server === undefined ? found : { ...found, server } });
  try {
    return await work(async (path) => {
      const [pathname, search] = path.split("?") as [string, string?];
      const query = Object.fromEntries(new URLSearchParams(search));
      const response = await client.request({ method: "GET", path: pathname, query, headers: { accept: "application/json" } });
      return response.json();
    });
  } finally {
    await client.close();
  }
}
