import type { Cluster } from "../../../src/index.ts";
import type { RawClient, ResponseSummary } from "../raw-client.ts";
import { buildValidRequests, generateMutatedRequests } from "./mutated-requests.ts";
import { collectResourcePaths } from "./resource-paths.ts";

export interface RequestFuzzResult {
  /** Number of responses by class, 2 for 2xx. */
  readonly responsesByClass: ReadonlyMap<number, number>;
  /** Requests that got an internal error or no response. */
  readonly failures: readonly unknown[];
}

/** Sends `count` mutated requests, a few at a time. */
export async function sendMutatedRequests(
  cluster: Cluster,
  client: RawClient,
  { seed, count }: { seed: number; count: number },
): Promise<RequestFuzzResult> {
  const responsesByClass = new Map<number, number>();
  const failures: unknown[] = [];
  const paths = collectResourcePaths(cluster.server);
  for (const valid of buildValidRequests(paths)) await client.send(valid);
  const requests = generateMutatedRequests(seed, count, paths);
  const worker = async () => {
    for (const request of requests) {
      const response: ResponseSummary = await client.send(request).catch((error: unknown) => ({ code: 0, message: String(error) }));
      const statusClass = Math.floor(response.code / 100);
      responsesByClass.set(statusClass, (responsesByClass.get(statusClass) ?? 0) + 1);
      // kube-apiserver responds to some patches with a 500 without a reason, and so does this server.
      const isFault = response.code === 0 || (response.code >= 500 && response.reason !== "" && response.reason !== "Timeout");
      if (isFault) failures.push({ ...request, body: request.body?.toString("latin1").slice(0, 3000), response });
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return { responsesByClass, failures };
}
