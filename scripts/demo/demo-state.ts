import type { Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { Memcached } from "../../examples/memcached/src/memcached.ts";

/** The objects that the demo shows, updated by three watches. */
export interface DemoState {
  readonly memcacheds: ReadonlyMap<string, Memcached>;
  readonly deployments: ReadonlyMap<string, Deployment>;
  readonly pods: ReadonlyMap<string, Pod>;
  /** Resolves when `condition` returns true; rejects with `description` after `timeout` milliseconds. */
  waitUntil(description: string, condition: (state: DemoState) => boolean, timeout: number): Promise<void>;
}

export function watchDemoState(client: Client, namespace: string, onChange: (state: DemoState) => void, signal: AbortSignal): DemoState {
  const waiters = new Set<() => void>();
  const state = { memcacheds: new Map<string, Memcached>(), deployments: new Map<string, Deployment>(), pods: new Map<string, Pod>() };
  const notify = () => {
    onChange(self);
    for (const check of waiters) check();
  };
  const self: DemoState = {
    ...state,
    waitUntil: (description, condition, timeout) =>
      new Promise((resolve, reject) => {
        const settle = (finish: () => void) => {
          clearTimeout(timer);
          waiters.delete(check);
          signal.removeEventListener("abort", abort);
          finish();
        };
        const check = () => condition(self) && settle(resolve);
        const abort = () => settle(() => reject(signal.reason));
        const timer = setTimeout(() => settle(() => reject(new Error(`timed out after ${timeout / 1000} s: ${description}`))), timeout);
        waiters.add(check);
        signal.addEventListener("abort", abort);
        if (signal.aborted) abort();
        else check();
      }),
  };
  const applyEvents = async <T extends { readonly metadata: { readonly name: string } }>(
    events: AsyncIterable<{ readonly type: string; readonly object: unknown }>,
    into: Map<string, T>,
  ) => {
    for await (const { type, object } of events) {
      if (type === "BOOKMARK") continue;
      const changed = object as T;
      if (type === "DELETED") into.delete(changed.metadata.name);
      else into.set(changed.metadata.name, changed);
      notify();
    }
  };
  const options = { namespace, signal };
  for (const stream of [
    applyEvents(client.watch(Memcached, options), state.memcacheds),
    applyEvents(client.watch(Deployment, options), state.deployments),
    applyEvents(client.watch(Pod, options), state.pods),
  ]) {
    stream.catch((error) => {
      if (!signal.aborted) throw error;
    });
  }
  return self;
}

/** Formats the state as a table: one line per object, sorted, named as `kubectl get` does. */
export function formatDemoState({ memcacheds, deployments, pods }: DemoState): string[] {
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
