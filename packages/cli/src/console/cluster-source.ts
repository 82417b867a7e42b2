import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Cluster, CompactedError, type FaultRule, type InjectedFault } from "@pintle/cluster";
import { learnSecrets } from "@pintle/cluster/internal/recorder";
import {
  type ActiveFault,
  type ApplyResult,
  type Capability,
  type ClusterState,
  type ConsoleSource,
  type FaultRuleJson,
  type Fork,
  gone,
  invalid,
  type ReplayResult,
  type SourceFile,
  unsupported,
} from "@pintle/console/internal/source";
import type { Fact } from "pintle";
import { parseJson } from "pintle/internal/json";
import type { JsonObject } from "pintle/kinds";
import { parseYaml } from "../manifests/index.ts";
import { formatYaml } from "./format-yaml.ts";

/** What a session knows of the cluster beside itself. */
export interface ClusterSourceOptions {
  readonly name: string;
  /** "kubectl --kubeconfig .pintle/kubeconfig" */
  readonly kubectl?: string | undefined;
  /** Folder for the kubeconfigs of forks, which is removed at the end. Default: a temporary one. */
  readonly folder?: string | undefined;
  readonly samples?: readonly string[] | undefined;
  readonly sources?: (() => readonly SourceFile[]) | undefined;
  readonly sampleOf?: ((kind: string) => string | undefined) | undefined;
  readonly operatorState?: ConsoleSource["operatorState"];
  readonly restart?: (() => Promise<void>) | undefined;
  readonly applySamples?: (() => Promise<ApplyResult>) | undefined;
  readonly replay?: ((facts: readonly Fact[], run: string, signal: AbortSignal) => Promise<ReplayResult>) | undefined;
  readonly queues?: ConsoleSource["queues"];
  readonly watches?: ConsoleSource["watches"];
}

const MAX_FORKS = 8;
/** Past states that are kept, so that the routes of one page read one. */
const MAX_STATES = 8;

/** The console of an embedded cluster that is started with `recorder`. Dispose of it before the cluster. */
export async function createClusterSource(cluster: Cluster, options: ClusterSourceOptions): Promise<ConsoleSource & AsyncDisposable> {
  const { recorder } = cluster;
  if (recorder === undefined) throw unsupported("The cluster is not recorded: start it with `recorder: true`.");
  const secrets = await learnSecrets(cluster.server.store, recorder.redactor);
  const isVirtual = "advance" in cluster.clock;
  const forks = createForks(cluster, options);
  const faults = createFaults(cluster);
  const states = new Map<number, ClusterState>();
  const can: Capability[] = ["edit", "exec", "logs", "port-forward", "faults", "fork", "save-trace", "history"];
  if (isVirtual) can.push("clock");
  if (options.restart !== undefined) can.push("restart");
  if (options.replay !== undefined) can.push("replay");

  const stateAt = (at: number | undefined): ClusterState => {
    const current = cluster.server.store.currentRevision();
    const revision = at ?? current;
    if (revision > current) throw invalid(`r${revision} is in the future: the current revision is r${current}.`);
    const known = states.get(revision);
    if (known !== undefined) return known;
    const read = () => {
      try {
        return (at === undefined ? cluster.snapshot() : cluster.at(revision).snapshot()).objects;
      } catch (error) {
        if (error instanceof CompactedError) throw gone(revision, cluster.snapshot().objects.oldestRevision);
        throw error;
      }
    };
    const state = read();
    for (const oldest of [...states.keys()].slice(0, Math.max(0, states.size - MAX_STATES + 1))) states.delete(oldest);
    states.set(revision, state);
    return state;
  };
  return {
    mode: "dev",
    name: options.name,
    cluster: "embedded",
    can,
    readOnlyReason: isVirtual ? undefined : "The clock of this cluster is that of the machine.",
    virtualClock: isVirtual,
    now: () => cluster.clock.now(),
    recording: {
      id: recorder.processId,
      facts: () => recorder.facts(),
      get sequence() {
        return recorder.sequence;
      },
      get dropped() {
        return recorder.dropped;
      },
      get generation() {
        return recorder.redactor.generation;
      },
      subscribe: (listener) => recorder.subscribe((line) => listener(parseJson(Buffer.from(line)) as Fact)),
    },
    state: stateAt,
    timeOf: (revision) => {
      try {
        return cluster.at(revision).time;
      } catch {
        return undefined;
      }
    },
    redact: (key, object) => recorder.redactor.redactObject(object, secrets.fieldsOf(key)),
    sources: options.sources ?? (() => []),
    toYaml: formatYaml,
    samples: options.samples ?? [],
    sampleOf: options.sampleOf,
    kubectl: options.kubectl,
    operatorState: options.operatorState,
    queues: options.queues,
    watches: options.watches,
    actions: {
      client: cluster.client(),
      parseYaml: (text) => parseYaml(text, "the editor") as readonly JsonObject[],
      applySamples: options.applySamples,
      faults,
      advanceClock: isVirtual
        ? async (ms) => {
            await cluster.advance(ms);
            return cluster.clock.now();
          }
        : undefined,
      restart: options.restart,
      forks,
      replay: options.replay === undefined ? undefined : (run, signal) => options.replay!(recorder.facts(), run, signal),
      async saveTrace() {
        const folder = mkdtempSync(path.join(tmpdir(), "pintle-trace-"));
        try {
          const file = path.join(folder, "console.pintle-trace");
          await cluster.writeTrace(file, { source: "dev" });
          return readFileSync(file);
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      },
    },
    [Symbol.asyncDispose]: () => forks.close(),
  };
}

function createFaults(cluster: Cluster) {
  const active = new Map<string, { readonly rule: FaultRuleJson; readonly injected: InjectedFault; readonly since: number }>();
  let count = 0;
  const describe = (id: string): ActiveFault => {
    const { rule, injected, since } = active.get(id)!;
    return { id, rule, text: formatRule(rule), hits: injected.hits, since };
  };
  return {
    list: () => [...active.keys()].map(describe),
    add(rule: FaultRuleJson) {
      const id = String(++count);
      active.set(id, { rule, injected: cluster.faults.add(rule as unknown as FaultRule), since: cluster.clock.now() });
      return describe(id);
    },
    remove(id: string) {
      active.get(id)?.injected.remove();
      return active.delete(id);
    },
  };
}

/** "patch deployments -> status 409, second match only" */
function formatRule({ on = {}, do: effect, nth, times, probability }: FaultRuleJson): string {
  const what = Object.entries(on).map(([name, pattern]) => `${name} ${[pattern].flat().join(" or ")}`);
  const does = Object.entries(effect).map(([name, value]) => (value === true ? name : `${name} ${value}`));
  const often = [
    nth === undefined ? "" : `from match ${nth} on`,
    times === undefined ? "" : `${times} times`,
    probability === undefined ? "" : `with probability ${probability}`,
  ];
  return `${what.join(", ") || "everything"}: ${[does.join(", "), ...often].filter(Boolean).join(", ")}`;
}

function createForks(cluster: Cluster, options: ClusterSourceOptions) {
  const open = new Map<
    string,
    { readonly about: Fork; readonly cluster: Cluster; readonly source: ConsoleSource & AsyncDisposable; readonly file: string }
  >();
  let folder: string | undefined;
  let count = 0;
  const remove = async (id: string) => {
    const found = open.get(id);
    if (found === undefined) return false;
    open.delete(id);
    rmSync(found.file, { force: true });
    await found.source[Symbol.asyncDispose]();
    await found.cluster.stop();
    return true;
  };
  return {
    list: () => [...open.values()].map(({ about }) => about),
    async create(at: number | undefined): Promise<Fork> {
      if (open.size >= MAX_FORKS) throw invalid(`There are ${MAX_FORKS} forks: end one first.`);
      const current = cluster.server.store.currentRevision();
      if (at !== undefined && (at < 1 || at > current)) throw invalid(`r${at} does not exist: the current revision is r${current}.`);
      const from = forkSource(cluster, at);
      const fork = await from({ http: true, recorder: true });
      const id = String(++count);
      folder ??= options.folder ?? mkdtempSync(path.join(tmpdir(), "pintle-forks-"));
      const file = path.join(folder, `fork-${id}.kubeconfig`);
      await fork.writeKubeconfig(file);
      const kubectl = `kubectl --kubeconfig ${file}`;
      const { samples, sampleOf, sources } = options;
      const source = await createClusterSource(fork, { name: `${options.name} fork ${id}`, kubectl, samples, sampleOf, sources });
      const about = { id, at: at ?? current, revision: at ?? current, created: Date.now(), kubectl };
      open.set(id, { about, cluster: fork, source, file });
      return about;
    },
    remove,
    open: (id: string) => open.get(id)?.source,
    async close() {
      await Promise.all([...open.keys()].map(remove));
      if (folder !== undefined && options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function forkSource(cluster: Cluster, at: number | undefined): Cluster["fork"] {
  if (at === undefined) return cluster.fork;
  try {
    return cluster.at(at).fork;
  } catch (error) {
    if (error instanceof CompactedError) throw gone(at, cluster.snapshot().objects.oldestRevision);
    throw error;
  }
}
