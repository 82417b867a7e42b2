import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type Client, compareResourceVersions } from "pintle/client";
import { Lease } from "pintle/kinds/coordination/v1";
import { ConfigMap, Namespace } from "pintle/kinds/core/v1";
import { Journal, type ReplicaOptions } from "./replica.ts";

/** Short enough that a test can wait for them. */
export const FAST = { leaseDuration: "3s", renewDeadline: "2s", retryPeriod: "500ms", stallTimeout: "6s" } as const;
/** For tests in which no replica may lose the lease, however busy the machine. */
export const PATIENT = { leaseDuration: "6s", renewDeadline: "5s", retryPeriod: "500ms", stallTimeout: "9s" } as const;
export const LEASE = 3_000;
export const RETRY = 500;

interface JournalEntry {
  readonly version: string;
  readonly by: string;
}
export interface ReplicaStart {
  readonly timings?: ReplicaOptions["timings"];
  /** Offset of its wall clock in milliseconds, or "jumping". */
  readonly skew?: number | "jumping";
  /** Node arguments before the script: a loader, for example. */
  readonly node?: readonly string[];
  readonly script?: string;
}

/** Replicas that share one lease and one journal, in a namespace of their own. */
export interface ReplicaGroup {
  readonly namespace: string;
  begin(identity: string, options?: ReplicaStart): ChildProcess;
  replica(identity: string): ChildProcess;
  /** Returns the replica's log so far. */
  logOf(identity: string): string;
  holder(): Promise<string>;
  lease(): Promise<Lease | undefined>;
  /** Returns the journal, ordered by the server's revisions. */
  entries(): Promise<readonly JournalEntry[]>;
  wrote(identity: string): () => Promise<boolean>;
  /** Waits until another replica than this one holds the lease; resolves to its identity and the time it took. */
  successor(of: string): Promise<{ readonly identity: string; readonly took: number }>;
  /** Returns writes by a former leader after its successor had already written. */
  lateWrites(): Promise<readonly string[]>;
  /** Changes of the lease holder, with the revision at which they happened. */
  readonly tenures: readonly JournalEntry[];
  forget(): Promise<void>;
  /** Makes a replica do something in its next reconcile. */
  tell(what: "block" | "slow" | "hang" | "stray", identity: string, value: number): Promise<void>;
  end(): void;
}

const REF = { name: "journal" };

export async function waitUntil(what: string, isSo: () => boolean | Promise<boolean>, timeout = 120_000): Promise<number> {
  const started = performance.now();
  while (!(await isSo())) {
    if (performance.now() - started > timeout) throw new Error(`timed out waiting for ${what}`);
    await sleep(20);
  }
  return performance.now() - started;
}

export async function createReplicaGroup(client: Client, kubeconfig: string, folder: string, namespace: string): Promise<ReplicaGroup> {
  const replicas = new Map<string, { readonly child: ChildProcess; text: string }>();
  const tenures: JournalEntry[] = [];
  const watching = new AbortController();
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.create(Journal, { metadata: { ...REF, namespace }, spec: {} });
  const recorded = recordTenures(client, namespace, tenures, watching.signal);
  recorded.catch(() => {});

  const lease = () => client.find(Lease, { ...REF, namespace });
  const holder = async () => (await lease())?.spec?.holderIdentity ?? "";
  const entries = async () => {
    const { items } = await client.list(ConfigMap, { namespace, labels: { journal: "yes" } });
    return items
      .map(({ metadata, data }) => ({ version: metadata.resourceVersion, by: data?.["by"] ?? "" }))
      .sort((a, b) => compareResourceVersions(a.version, b.version));
  };
  return {
    namespace,
    tenures,
    begin(identity, { timings = FAST, skew = 0, node = [], script = join(folder, "replica.js") } = {}) {
      const replicaOptions: ReplicaOptions = { identity, namespace, kubeconfig, timings };
      const skewed = skew === 0 ? [] : ["--import", pathToFileURL(join(folder, "skewed-clock.js")).href];
      const child = spawn(process.execPath, [...skewed, ...node, script, JSON.stringify(replicaOptions)], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, SKEW: String(skew) },
      });
      const known = { child, text: "" };
      child.stdout!.on("data", (data) => {
        known.text += data;
      });
      replicas.set(identity, known);
      return child;
    },
    replica: (identity) => replicas.get(identity)!.child,
    logOf: (identity) => replicas.get(identity)?.text ?? "",
    holder,
    lease,
    entries,
    wrote: (identity) => async () => (await entries()).some(({ by }) => by === identity),
    async successor(of) {
      let next = "";
      const took = await waitUntil(`a successor of ${of}`, async () => {
        next = await holder();
        return next !== "" && next !== of;
      });
      return { identity: next, took };
    },
    async lateWrites() {
      const journal = await entries();
      return journal.flatMap(({ version, by }, i) => {
        const tenure = tenures.findLast((each) => compareResourceVersions(each.version, version) < 0);
        if (tenure === undefined || tenure.by === by) return [];
        const began = journal
          .slice(0, i)
          .some((other) => other.by === tenure.by && compareResourceVersions(other.version, tenure.version) > 0);
        return began ? [`${by} wrote at ${version}, in the time of ${tenure.by} since ${tenure.version}`] : [];
      });
    },
    async forget() {
      await client.deleteCollection(ConfigMap, { namespace, labels: { journal: "yes" } });
    },
    async tell(what, identity, value) {
      const merge = { metadata: { annotations: { [`${what}-${identity}`]: String(value) } } };
      await client.patch(Journal, { ...REF, namespace }, { merge });
    },
    end() {
      watching.abort();
      for (const { child } of replicas.values()) child.kill("SIGKILL");
    },
  };
}

/** Records the lease holders and the revisions from which they held it, from a watch. */
async function recordTenures(client: Client, namespace: string, tenures: JournalEntry[], signal: AbortSignal): Promise<void> {
  let from: object = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
  while (!signal.aborted)
    for await (const event of client.watch(Lease, { namespace, ...from, signal })) {
      from = { resourceVersion: event.object.metadata.resourceVersion };
      if (event.type === "BOOKMARK") continue;
      const by = (event.object as Lease).spec?.holderIdentity ?? "";
      if (tenures.at(-1)?.by !== by) tenures.push({ version: event.object.metadata.resourceVersion, by });
    }
}
