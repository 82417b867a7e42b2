import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type Client, compareResourceVersions } from "pintle/client";
import { Lease } from "pintle/kinds/coordination/v1";
import { ConfigMap, Namespace } from "pintle/kinds/core/v1";
import { Journal, type ReplicaOptions } from "./replica.ts";

/** Short enough that a test can wait for them. */
export const FAST = { lease: "3s", renew: "2s", retry: "500ms", stall: "6s" } as const;
/** For tests in which nobody may lose the lease, however busy the machine. */
export const PATIENT = { lease: "6s", renew: "5s", retry: "500ms", stall: "9s" } as const;
export const LEASE = 3_000;
export const RETRY = 500;

interface Entry {
  readonly version: string;
  readonly by: string;
}
export interface ReplicaStart {
  readonly timings?: ReplicaOptions["timings"];
  /** How wrong its wall clock is: milliseconds, or "jumping". */
  readonly skew?: number | "jumping";
  /** Before the script: a loader, say. */
  readonly node?: readonly string[];
  readonly script?: string;
}

/** Replicas that share one lease and one journal, in a namespace of their own. */
export interface Electorate {
  readonly namespace: string;
  begin(identity: string, options?: ReplicaStart): ChildProcess;
  replica(identity: string): ChildProcess;
  /** What it has logged so far. */
  said(identity: string): string;
  holder(): Promise<string>;
  lease(): Promise<Lease | undefined>;
  /** The journal, in the order of the server's own revisions. */
  entries(): Promise<readonly Entry[]>;
  wrote(identity: string): () => Promise<boolean>;
  /** Waits for somebody else than this one to hold the lease, and says who; how long it took comes with it. */
  successor(of: string): Promise<{ readonly identity: string; readonly took: number }>;
  /** Writes by somebody in whose stead another had already written. */
  lateWrites(): Promise<readonly string[]>;
  /** Changes of holder, with the revision they happened at. */
  readonly tenures: readonly Entry[];
  forget(): Promise<void>;
  /** Has a replica do something in its next reconcile. */
  tell(what: "block" | "slow" | "hang" | "stray", identity: string, value: number): Promise<void>;
  end(): void;
}

const REF = { name: "journal" };

export async function until(what: string, isSo: () => boolean | Promise<boolean>, timeout = 120_000): Promise<number> {
  const started = performance.now();
  while (!(await isSo())) {
    if (performance.now() - started > timeout) throw new Error(`waited in vain for ${what}`);
    await sleep(20);
  }
  return performance.now() - started;
}

export async function electorate(client: Client, kubeconfig: string, folder: string, namespace: string): Promise<Electorate> {
  const replicas = new Map<string, { readonly child: ChildProcess; text: string }>();
  const tenures: Entry[] = [];
  const watching = new AbortController();
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.create(Journal, { metadata: { ...REF, namespace }, spec: {} });
  const recorded = record(client, namespace, tenures, watching.signal);
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
      const told: ReplicaOptions = { identity, namespace, kubeconfig, timings };
      const skewed = skew === 0 ? [] : ["--import", pathToFileURL(join(folder, "skewed.js")).href];
      const child = spawn(process.execPath, [...skewed, ...node, script, JSON.stringify(told)], {
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
    said: (identity) => replicas.get(identity)?.text ?? "",
    holder,
    lease,
    entries,
    wrote: (identity) => async () => (await entries()).some(({ by }) => by === identity),
    async successor(of) {
      let next = "";
      const took = await until(`a successor of ${of}`, async () => {
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

/** Who held the lease from which revision on, as the server tells it. */
async function record(client: Client, namespace: string, tenures: Entry[], signal: AbortSignal): Promise<void> {
  let from: object = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
  while (!signal.aborted)
    for await (const event of client.watch(Lease, { namespace, ...from, signal })) {
      from = { resourceVersion: event.object.metadata.resourceVersion };
      if (event.type === "BOOKMARK") continue;
      const by = (event.object as Lease).spec?.holderIdentity ?? "";
      if (tenures.at(-1)?.by !== by) tenures.push({ version: event.object.metadata.resourceVersion, by });
    }
}
