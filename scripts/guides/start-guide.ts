import { type Cluster, startCluster } from "@pintle/cluster";
import { type Controller, createLogger, type Manager, startManager } from "pintle";
import type { Client } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { type VirtualClock, virtualClock } from "pintle/testing";

/** What the check of a snippet works with: an embedded cluster with virtual time, and the exports of the snippet. */
export interface GuideRun {
  /** The exports of the snippet. */
  readonly snippet: any;
  readonly cluster: Cluster;
  readonly client: Client;
  readonly clock: VirtualClock;
  /** The log lines of the operators. */
  readonly lines: any[];
  /** Installs the CRDs of the controllers' kinds and starts an operator. */
  start(...controllers: Controller[]): Promise<Manager>;
  /** Creates an object in the namespace default, unless `metadata` has another one, and waits until the cluster has settled. */
  create(kind: any, name: string, body: object, metadata?: object): Promise<any>;
  /** Reads an object of the namespace default; `undefined` if it does not exist. */
  find(kind: any, name: string, namespace?: string): Promise<any>;
  /** Changes an object with a merge patch and waits until the cluster has settled. */
  change(kind: any, name: string, merge: object): Promise<void>;
  /** Deletes an object and waits until the cluster has settled. */
  remove(kind: any, name: string): Promise<void>;
  /** Reads a condition as "True Reason: message". */
  condition(kind: any, name: string, type: string): Promise<string | undefined>;
}

/** The check of a snippet: asserts what the text around it says. */
export type Check = (run: GuideRun) => Promise<void>;

/** Runs a check on a cluster of its own. */
export async function runCheck(snippet: unknown, check: Check): Promise<void> {
  const clock = virtualClock("2026-01-01T00:00:00Z");
  const cluster = await startCluster({ clock });
  const client = cluster.client();
  const managers: Manager[] = [];
  const lines: any[] = [];
  const at = (kind: any, name: string, namespace = "default") => (kind.scope === "Cluster" ? { name } : { name, namespace }) as never;
  const find = (kind: any, name: string, namespace?: string) => client.find(kind, at(kind, name, namespace)) as Promise<any>;
  try {
    await check({
      snippet,
      cluster,
      client,
      clock,
      lines,
      find,
      async start(...controllers) {
        for (const { kind } of controllers as any[]) {
          if (kind.crd === undefined || (await client.find(CustomResourceDefinition, { name: `${kind.plural}.${kind.group}` }))) continue;
          await client.create(CustomResourceDefinition, kind.crd());
        }
        await cluster.settled();
        const logger = createLogger({ clock, write: (line) => lines.push(JSON.parse(line)), level: "debug" });
        const manager = startManager({ controllers, client, clock, logger });
        managers.push(manager);
        await manager.ready;
        await cluster.settled();
        return manager;
      },
      async create(kind, name, body, metadata = {}) {
        const created = await client.create(kind, { metadata: { ...(at(kind, name) as object), ...metadata }, ...body } as never);
        await cluster.settled();
        return created;
      },
      async change(kind, name, merge) {
        await client.patch(kind, at(kind, name), { merge } as never);
        await cluster.settled();
      },
      async remove(kind, name) {
        await client.delete(kind, at(kind, name));
        await cluster.settled();
      },
      async condition(kind, name, type) {
        const found = (await find(kind, name))?.status?.conditions?.find((each: any) => each.type === type);
        return found && `${found.status} ${found.reason}: ${found.message}`;
      },
    });
  } finally {
    const stopped = Promise.all(managers.map((manager) => manager.stop()));
    await clock.advance(60_000);
    await stopped;
    await cluster.stop();
  }
}
