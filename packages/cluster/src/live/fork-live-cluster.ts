import { randomBytes } from "node:crypto";
import { type Client, type DynamicKind, NotFound, RequestError } from "pintle/client";
import { virtualClock } from "pintle/internal/clock";
import { PintleError } from "pintle/internal/errors";
import type { JsonObject } from "pintle/kinds";
import { createServiceRoutes } from "../admission/index.ts";
import { createBuiltinResources } from "../builtin/index.ts";
import { type Cluster, type ClusterOptions, createClusterCredentials, startCluster } from "../cluster/index.ts";
import { createStoreSnapshot } from "../store/index.ts";
import { createSecretSubstitution } from "./substitute-secret.ts";

/** Options of `forkLiveCluster`. Those of `startCluster` apply to the fork. */
export interface ForkLiveOptions extends Omit<ClusterOptions, "from" | "store" | "nodes"> {
  /** Number of simulated nodes besides those of the live cluster. Processes are not run: nothing could keep them inside the fork. Default: 0. */
  readonly nodes?: number | undefined;
  /** Returns whether objects of a kind are read. Default: all but Events and kinds that are never stored. */
  readonly includeKind?: ((kind: { readonly group: string; readonly kind: string }) => boolean) | undefined;
  /** Returns whether the values of a Secret are kept. Default: none are. */
  readonly keepSecret?: ((secret: JsonObject) => boolean) | undefined;
  /** The key of the hashes that stand for the values of Secrets. Default: a random one, which is not kept. */
  readonly secretKey?: Uint8Array | undefined;
  /** Aborts reading. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** Called for every resource that was read, with the number of its objects. Default: none. */
  readonly onProgress?: ((resource: string, objects: number) => void) | undefined;
}

/** A summary of what was read from the live cluster, and what was left out. */
export interface LiveForkReport {
  /** The revision of the live cluster at which most objects were read. */
  readonly revision: number;
  readonly objects: number;
  /** Secrets whose values were replaced. */
  readonly substitutedSecrets: number;
  /** What was left out or changed, with the reason. */
  readonly notes: readonly string[];
}

/** A fork, and what was read for it. */
export interface LiveFork extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly report: LiveForkReport;
}

/** Kinds of objects that report past events. In a fork they would look like new events. */
const NEVER_READ = new Set(["Event"]);
/** This controller would replace the certificate authority of the live cluster by that of the fork, in every namespace. */
const WITHOUT = ["root-ca-certificate-publisher-controller"] as const;
const WEBHOOK_PLUGINS = ["MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"] as const;
const CRD_PREFIX = "/registry/apiextensions.k8s.io/customresourcedefinitions";

/**
 * Reads the objects of a live cluster into an embedded one, to find out what a change would do. Objects keep uid, resourceVersion, generation, owners, status,
 * managed fields and times, and the controllers of the fork treat them as existing objects: the fork commits nothing by itself. Its clock stands still at the moment of reading, so that
 * no lease expires; `cluster.advance` moves it.
 *
 * ## Guarantees
 *
 * - The live cluster is only read.
 * - Values of Secrets do not enter the fork. They are replaced by keyed hashes; certificates and keys by generated ones for the same names.
 * - The fork sends no requests to other servers on its own: admission webhooks are off, conversion webhooks and aggregated APIs are left out, and no process is
 *   started as a container. `report.notes` names what was left out.
 *
 * ## Caveats
 *
 * All objects are read at one revision where the server supports that; others may be newer. A request for the logs of a pod is sent to the node that the pod
 * is on.
 *
 * @example
 * ```ts
 * import { forkLiveCluster } from "@pintle/cluster";
 * import { connect } from "pintle/client";
 * import { Deployment } from "pintle/kinds/apps/v1";
 *
 * await using fork = await forkLiveCluster(await connect(), { nodes: 1 });
 * const client = fork.cluster.client();
 * const before = fork.cluster.server.store.currentRevision();
 * await client.patch(Deployment, { namespace: "default", name: "web" }, { merge: { spec: { replicas: 3 } } });
 * await fork.cluster.settled();
 * for (const { type, kind, name } of fork.cluster.at(before).diff()) console.log(type, kind, name);
 * ```
 */
export async function forkLiveCluster(client: Client, options: ForkLiveOptions = {}): Promise<LiveFork> {
  const {
    includeKind = () => true,
    keepSecret = () => false,
    secretKey = randomBytes(32),
    signal,
    onProgress,
    nodes = 0,
    ...rest
  } = options;
  if (typeof nodes !== "number") {
    throw new PintleError(
      "PINTLE6509",
      "forkLiveCluster: nodes that run processes are not possible in a fork: pass a number of simulated nodes",
    );
  }
  const now = Date.now();
  const substitute = createSecretSubstitution(secretKey, now);
  const notes: string[] = [];
  const entries = new Map<string, { readonly key: string; readonly revision: number; readonly value: JsonObject }>();
  let substitutedSecrets = 0;
  const add = (prefix: string, object: JsonObject) => {
    const { namespace, name, resourceVersion } = object["metadata"] as { namespace?: string; name: string; resourceVersion: string };
    const key = [prefix, ...(namespace === undefined ? [] : [namespace]), name].join("/");
    entries.set(key, { key, revision: readRevision(resourceVersion, key), value: object });
  };
  const served = await client.discoverKinds({ signal });
  const first = await listAll(client, requireKind(served, "", "Namespace"), undefined, signal);
  const { revision } = first;
  for (const { prefix, kind } of chooseKinds(served)) {
    if (NEVER_READ.has(kind.kind) || !includeKind(kind)) continue;
    const { items } = await listAll(client, kind, revision, signal);
    onProgress?.(`${kind.plural}${kind.group === "" ? "" : `.${kind.group}`}`, items.length);
    for (const item of items) {
      const object = contain(item, notes);
      if (object === undefined) continue;
      const isSecret = kind.kind === "Secret" && kind.group === "" && !keepSecret(object);
      if (isSecret) substitutedSecrets++;
      add(prefix, isSecret ? substitute(object) : object);
    }
    if (prefix === CRD_PREFIX) {
      for (const definition of items) {
        for (const custom of await readCustomObjects(client, definition, { includeKind, revision, signal, onProgress, notes })) {
          add(custom.prefix, custom.object);
        }
      }
    }
  }
  const latest = Math.max(revision, ...[...entries.values()].map((entry) => entry.revision));
  const { disable = [], ...plugins } = rest.admissionPlugins ?? {};
  const cluster = await startCluster({
    clock: virtualClock(now),
    ...rest,
    without: rest.without === true ? true : [...(rest.without ?? []), ...WITHOUT],
    nodes,
    admissionPlugins: { ...plugins, disable: [...disable, ...WEBHOOK_PLUGINS] },
    from: {
      at: now,
      objects: createStoreSnapshot({ revision: latest, entries: [...entries.values()].sort((a, b) => a.revision - b.revision) }),
      credentials: createClusterCredentials(),
      routes: createServiceRoutes(),
    },
  });
  return {
    cluster,
    report: { revision, objects: entries.size, substitutedSecrets, notes },
    [Symbol.asyncDispose]: () => cluster.stop(),
  };
}

/** For each built-in resource that the live cluster serves: where the fork stores it, and the version to read. */
function chooseKinds(served: readonly DynamicKind[]): { readonly prefix: string; readonly kind: DynamicKind }[] {
  const chosen = new Map<string, DynamicKind>();
  for (const { group, plural, storage, evaluateReview, computeObjects } of createBuiltinResources()) {
    if (evaluateReview !== undefined || computeObjects !== undefined || chosen.has(storage.prefix)) continue;
    const versions = served.filter((kind) => kind.group === group && kind.plural === plural);
    // The version in which the fork stores it, if the live cluster has it: nothing is to be converted then.
    const kind = versions.find(({ version }) => version === storage.version) ?? versions[0];
    if (kind !== undefined) chosen.set(storage.prefix, kind);
  }
  const definitions = served.find(({ group, plural }) => group === "apiextensions.k8s.io" && plural === "customresourcedefinitions");
  if (definitions !== undefined) chosen.set(CRD_PREFIX, definitions);
  return [...chosen].map(([prefix, kind]) => ({ prefix, kind }));
}

function requireKind(served: readonly DynamicKind[], group: string, name: string): DynamicKind {
  const kind = served.find((each) => each.group === group && each.kind === name);
  if (kind === undefined) throw new PintleError("PINTLE6509", `forkLiveCluster: the cluster does not serve ${name}`);
  return kind;
}

interface CustomReading extends Pick<ForkLiveOptions, "signal" | "onProgress"> {
  readonly includeKind: NonNullable<ForkLiveOptions["includeKind"]>;
  readonly revision: number;
  readonly notes: string[];
}

/** The objects of a CRD, in the version in which they are stored. */
async function readCustomObjects(
  client: Client,
  definition: JsonObject,
  { includeKind, revision, signal, onProgress, notes }: CustomReading,
): Promise<{ readonly prefix: string; readonly object: JsonObject }[]> {
  const { group, names, versions } = definition["spec"] as unknown as {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean; readonly storage: boolean }[];
  };
  if (!includeKind({ group, kind: names.kind })) return [];
  const version = versions.find(({ storage, served }) => storage && served) ?? versions.find(({ served }) => served);
  if (version === undefined) {
    notes.push(`objects of ${names.plural}.${group} were not read: no version is served`);
    return [];
  }
  try {
    const kind = await client.discoverKind(`${group}/${version.name}`, names.kind, { signal });
    const { items } = await listAll(client, kind, revision, signal);
    onProgress?.(`${names.plural}.${group}`, items.length);
    return items.map((object) => ({ prefix: `/registry/${group}/${names.plural}`, object }));
  } catch (error) {
    // A CRD that is not established yet.
    if (!(error instanceof NotFound)) throw error;
    notes.push(`objects of ${names.plural}.${group} were not read: the kind is not served yet`);
    return [];
  }
}

/** Lists all objects of a kind at one revision, or at the newest one if the server has compacted that revision. */
async function listAll(
  client: Client,
  kind: DynamicKind,
  revision: number | undefined,
  signal: AbortSignal | undefined,
): Promise<{ readonly items: readonly JsonObject[]; readonly revision: number }> {
  const exact = revision === undefined ? {} : ({ resourceVersion: String(revision), resourceVersionMatch: "Exact" } as const);
  const items: JsonObject[] = [];
  let at = 0;
  const read = async (selection: object) => {
    for await (const page of client.listPages(kind, { ...selection, signal })) {
      const { metadata } = page as { readonly metadata?: { readonly resourceVersion?: string } };
      at = readRevision(metadata?.resourceVersion ?? "0", kind.plural);
      const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
      for (const item of page.items) items.push({ ...(item as unknown as JsonObject), apiVersion, kind: kind.kind });
    }
  };
  try {
    await read(exact);
  } catch (error) {
    const isGone = error instanceof RequestError && (error.statusCode === 410 || error.statusCode === 400);
    if (!isGone || revision === undefined) throw error;
    items.length = 0;
    await read({});
  }
  return { items, revision: at };
}

function readRevision(text: string, what: string): number {
  const revision = Number(text);
  if (Number.isSafeInteger(revision) && revision >= 0) return revision;
  throw new PintleError("PINTLE6509", `forkLiveCluster: ${what} has resourceVersion ${JSON.stringify(text)}, which is not that of etcd`);
}

/** Removes from an object what would make the fork send requests to other servers. Returns undefined if nothing else is left. */
function contain(object: JsonObject, notes: string[]): JsonObject | undefined {
  const { kind, metadata, spec } = object as {
    readonly kind?: string;
    readonly metadata?: { readonly name?: string };
    readonly spec?: JsonObject;
  };
  const name = metadata?.name ?? "";
  if (kind === "APIService" && spec?.["service"] !== undefined && spec["service"] !== null) {
    notes.push(`APIService ${name} was left out: its server is outside of the fork`);
    return undefined;
  }
  const conversion = spec?.["conversion"] as { readonly strategy?: string } | undefined;
  if (kind === "CustomResourceDefinition" && conversion?.strategy === "Webhook") {
    notes.push(`CustomResourceDefinition ${name} has no conversion in the fork: its webhook is outside of it`);
    return { ...object, spec: { ...spec, conversion: { strategy: "None" } } };
  }
  return object;
}
