import { setTimeout as delay } from "node:timers/promises";
import type { Daemon } from "pintle";
import type { Need } from "pintle/client";
import { Pod } from "pintle/kinds/core/v1";
import { isReady } from "./conditions.ts";
import { hanging, type Server, sizeFor } from "./decide.ts";
import { LABEL } from "./deployment.ts";
import { Memcached } from "./memcached.ts";
import { forget, tell } from "./numbers.ts";
import { statsOf } from "./protocol.ts";

const PERIOD = 5_000;
/** So often a server is asked before it counts as one that hangs. */
const ATTEMPTS = 3;

type Beside = Daemon<typeof Memcached, Need<typeof Pod.id, "list" | "delete"> | Need<typeof Memcached.id, "patch">>;

/** Beside each object that asks for it: listens to the servers themselves, tells their numbers, and does what they call for. */
export async function autopilot(beside: Beside): Promise<void> {
  let known: readonly string[] = [];
  const { name, namespace = "" } = beside.object.metadata;
  try {
    for (;;) {
      const servers = beside.object.spec.autopilot === undefined ? [] : await heard(beside);
      for (const gone of known.filter((pod) => servers.every((server) => server.name !== pod))) forget([namespace, name, gone]);
      known = servers.map((server) => server.name);
      if (servers.length > 0) await act(beside, servers);
      await delay(PERIOD, undefined, { signal: beside.signal });
    }
  } finally {
    for (const pod of known) forget([namespace, name, pod]);
  }
}

/** Asks every server that should answer. */
async function heard({ object, client, signal }: Beside): Promise<readonly Server[]> {
  const { name, namespace = "" } = object.metadata;
  const { items } = await client.list(Pod, { namespace, labels: { [LABEL]: name } });
  const pods = items.filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined);
  return Promise.all(
    pods.map(async ({ metadata, status: { podIP = "" } }): Promise<Server> => {
      let stats = await statsOf(podIP, object.spec.port, signal);
      for (let i = 1; i < ATTEMPTS && stats === undefined; i++) stats = await statsOf(podIP, object.spec.port, signal);
      signal.throwIfAborted();
      tell([namespace, name, metadata.name], stats);
      return { name: metadata.name, fill: stats && (stats.get("bytes") ?? 0) / (stats.get("limit_maxbytes") ?? 1) };
    }),
  );
}

async function act({ object, client, event }: Beside, servers: readonly Server[]): Promise<void> {
  const { metadata, spec, status } = object;
  const { name, namespace } = metadata;
  for (const pod of hanging(servers)) {
    event("Replaced", `${pod} hangs: it is ready and does not answer`, { type: "Warning" });
    await client.delete(Pod, { name: pod, namespace });
  }
  if (spec.autopilot === undefined || status?.ready !== spec.size) return;
  const size = sizeFor(spec.autopilot, spec.size, servers);
  if (size === spec.size) return;
  const percent = (100 * servers.reduce((sum, { fill = 0 }) => sum + fill, 0)) / spec.size;
  event("Scaled", `from ${spec.size} to ${size} servers, which are ${percent.toFixed(0)} % full`);
  await client.patch(Memcached, { name, namespace }, { merge: { spec: { size } } });
}
