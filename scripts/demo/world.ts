import type { Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { Memcached } from "../../examples/memcached/src/memcached.ts";

/** What the demo shows, kept current by three watches. */
export interface World {
  readonly memcacheds: ReadonlyMap<string, Memcached>;
  readonly deployments: ReadonlyMap<string, Deployment>;
  readonly pods: ReadonlyMap<string, Pod>;
  /** Resolves when `holds` does; rejects after `timeout` milliseconds, saying what was waited for. */
  until(what: string, holds: (world: World) => boolean, timeout: number): Promise<void>;
}

export function world(client: Client, namespace: string, changed: (world: World) => void, signal: AbortSignal): World {
  const waiting = new Set<() => void>();
  const state = { memcacheds: new Map<string, Memcached>(), deployments: new Map<string, Deployment>(), pods: new Map<string, Pod>() };
  const told = () => {
    changed(self);
    for (const look of waiting) look();
  };
  const self: World = {
    ...state,
    until: (what, holds, timeout) =>
      new Promise((resolve, reject) => {
        const done = (finish: () => void) => {
          clearTimeout(timer);
          waiting.delete(look);
          signal.removeEventListener("abort", stopped);
          finish();
        };
        const look = () => holds(self) && done(resolve);
        const stopped = () => done(() => reject(signal.reason));
        const timer = setTimeout(() => done(() => reject(new Error(`not seen within ${timeout / 1000} s: ${what}`))), timeout);
        waiting.add(look);
        signal.addEventListener("abort", stopped);
        if (signal.aborted) stopped();
        else look();
      }),
  };
  const follow = async <T extends { readonly metadata: { readonly name: string } }>(
    events: AsyncIterable<{ readonly type: string; readonly object: unknown }>,
    into: Map<string, T>,
  ) => {
    for await (const { type, object } of events) {
      if (type === "BOOKMARK") continue;
      const seen = object as T;
      if (type === "DELETED") into.delete(seen.metadata.name);
      else into.set(seen.metadata.name, seen);
      told();
    }
  };
  const options = { namespace, signal };
  for (const stream of [
    follow(client.watch(Memcached, options), state.memcacheds),
    follow(client.watch(Deployment, options), state.deployments),
    follow(client.watch(Pod, options), state.pods),
  ]) {
    stream.catch((error) => {
      if (!signal.aborted) throw error;
    });
  }
  return self;
}

/** The picture: one line per object, sorted, as `kubectl get` would name them. */
export function picture({ memcacheds, deployments, pods }: World): string[] {
  const sorted = <T>(map: ReadonlyMap<string, T>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
  const rows = [
    ["NAME", "STATE"],
    ...sorted(memcacheds).flatMap((m) => {
      const available = m.status?.conditions?.find((c) => c.type === "Available");
      return [
        [`memcached/${m.metadata.name}`, `size ${m.spec.size}, Available ${available?.status ?? "-"}`],
        ["  status.nodes", (m.status?.nodes ?? []).map((node) => node.split("-").at(-1)).join(" ")],
      ];
    }),
    ...sorted(deployments).map((d) => [`deployment/${d.metadata.name}`, `${d.status.readyReplicas ?? 0}/${d.spec.replicas} ready`]),
    ...sorted(pods).map((p) => [
      `pod/${p.metadata.name}`,
      p.metadata.deletionTimestamp === undefined ? `${p.status.phase} ${p.status.podIP ?? ""}` : "Terminating",
    ]),
  ];
  const width = Math.max(...rows.map(([left = ""]) => left.length));
  return rows.map(([left = "", right]) => `${left.padEnd(width)}  ${right}`);
}
