import type { DaemonContext } from "pintle";
import type { Permission } from "pintle/client";
import { Pod } from "pintle/kinds/core/v1";
import { isReady } from "./conditions.ts";
import { LABEL } from "./deployment.ts";
import { Memcached } from "./memcached.ts";
import { fetchStats } from "./memcached-stats.ts";
import { recordStats, removeServer } from "./metrics.ts";
import { decideSize, findHungServers, type ServerState } from "./scaling.ts";

const POLL_INTERVAL_MS = 5_000;
/** Number of attempts before a server counts as hung. */
const MAX_ATTEMPTS = 3;

type AutopilotContext = DaemonContext<
  typeof Memcached,
  Permission<typeof Pod.id, "list" | "delete"> | Permission<typeof Memcached.id, "patch">
>;

/** Runs next to each object with `spec.autopilot`: polls its servers, records their metrics, replaces hung servers and adjusts the size. */
export async function autopilot(context: AutopilotContext): Promise<void> {
  let knownPods: readonly string[] = [];
  const { name, namespace = "" } = context.object.metadata;
  try {
    for (;;) {
      const servers = context.object.spec.autopilot === undefined ? [] : await pollServers(context);
      for (const gone of knownPods.filter((pod) => servers.every((server) => server.name !== pod))) removeServer([namespace, name, gone]);
      knownPods = servers.map((server) => server.name);
      if (servers.length > 0) await applyDecisions(context, servers);
      await context.clock.sleep(POLL_INTERVAL_MS, context.signal);
    }
  } finally {
    for (const pod of knownPods) removeServer([namespace, name, pod]);
  }
}

/** Queries every ready server. */
async function pollServers({ object, client, signal }: AutopilotContext): Promise<readonly ServerState[]> {
  const { name, namespace = "" } = object.metadata;
  const { items } = await client.list(Pod, { namespace, labels: { [LABEL]: name } });
  const pods = items.filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined);
  return Promise.all(
    pods.map(async ({ metadata, status: { podIP = "" } }): Promise<ServerState> => {
      let stats = await fetchStats(podIP, object.spec.port, signal);
      for (let i = 1; i < MAX_ATTEMPTS && stats === undefined; i++) stats = await fetchStats(podIP, object.spec.port, signal);
      signal.throwIfAborted();
      recordStats([namespace, name, metadata.name], stats);
      return { name: metadata.name, usedRatio: stats && (stats.get("bytes") ?? 0) / (stats.get("limit_maxbytes") ?? 1) };
    }),
  );
}

async function applyDecisions({ object, client, event }: AutopilotContext, servers: readonly ServerState[]): Promise<void> {
  const { metadata, spec, status } = object;
  const { name, namespace } = metadata;
  for (const pod of findHungServers(servers)) {
    event("Replaced", `replaced ${pod}, which is ready but does not respond`, { type: "Warning" });
    await client.delete(Pod, { name: pod, namespace });
  }
  if (spec.autopilot === undefined || status?.ready !== spec.size) return;
  const size = decideSize(spec.autopilot, spec.size, servers);
  if (size === spec.size) return;
  const percent = (100 * servers.reduce((sum, { usedRatio = 0 }) => sum + usedRatio, 0)) / spec.size;
  event("Scaled", `scaled from ${spec.size} to ${size} servers at ${percent.toFixed(0)}% memory usage`);
  await client.patch(Memcached, { name, namespace }, { merge: { spec: { size } } });
}
