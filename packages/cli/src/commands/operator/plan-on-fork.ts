import type { ObjectChangeSummary } from "@pintle/cluster";
import type { PlannedExtension } from "@pintle/lifecycle/internal/manager";
import type { CatalogContents, ClusterExtension, Condition, ImageSource } from "@pintle/lifecycle/manager";
import type { Client } from "pintle/client";
import type { JsonObject } from "pintle/internal/json";
import { isLoopbackUrl } from "pintle/internal/loopback";
import { CommandError, type Io } from "../../command/index.ts";
import type { TargetCluster } from "../../target-cluster/index.ts";
import { type ReadCatalog, readCatalogs } from "./read-catalogs.ts";
import { formatCondition } from "./wait-for-extension.ts";

/** The extension of the cluster to plan for, and the changes of its spec. */
export interface PlanRequest {
  readonly cluster: TargetCluster;
  readonly extension: ClusterExtension;
  readonly changes: JsonObject;
  readonly timeoutMs: number;
}

/** The plan, and its outcome on the fork. */
export interface ForkedPlan extends PlannedExtension {
  /** Undefined if it was not carried out: there is nothing to do, or it would be refused. */
  readonly rehearsal: Rehearsal | undefined;
  readonly notes: readonly string[];
}

/** An upgrade that was carried out on a fork. */
export interface Rehearsal {
  readonly rolledOut: boolean;
  /** The condition Progressing at the end. */
  readonly progress: string;
  /** Objects that changed besides those of the manager. */
  readonly changes: readonly { readonly type: string; readonly kind: string; readonly namespace: string; readonly name: string }[];
}

/** The virtual time that a rollout on a fork may take, in steps. */
const STEP_MS = 1_000;
const MAX_STEPS = 1_200;
/** The real time between steps without an event: a bundle may still be downloading. */
const IDLE_MS = 50;
const BOOKKEEPING = new Set([
  "ClusterExtension",
  "ClusterObjectSet",
  "ExtensionPlan",
  "ExtensionPolicy",
  "ClusterCatalog",
  "Event",
  "Lease",
  "Node",
]);

/** Reads the live cluster into a fork, computes the plan there, and executes it there. */
export async function planOnFork({ cluster, extension, changes, timeoutMs }: PlanRequest, io: Io): Promise<ForkedPlan> {
  const { forkLiveCluster } = await import("@pintle/cluster");
  const { ClusterExtensionKind } = await import("@pintle/lifecycle/manager");
  const { planExtension } = await import("@pintle/lifecycle/internal/manager");
  const { systemClock } = await import("pintle/internal/clock");
  const { name } = extension.metadata;
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(timeoutMs)]);
  io.err(`reading ${cluster.description} into a fork\n`);
  const catalogs = await readCatalogs(cluster, extension.spec.source.catalog?.packageName, signal);
  await using fork = await forkLiveCluster(cluster.client, {
    nodes: 1,
    signal,
    // The Secrets of revisions contain their objects, which the plan compares.
    keepSecret: (secret) => secret["type"] === "olm.operatorframework.io/object-data",
  });
  const client = fork.cluster.client();
  const planned = await client.patch(ClusterExtensionKind, { name }, { merge: changes as never });
  const images = await createForkImages(catalogs);
  const contents = createForkContents(catalogs);
  const notes = [...fork.report.notes, "operator images were not run: the pods of the fork are simulated"];
  let plan: PlannedExtension;
  try {
    const context = { client, images, catalogs: contents, gates: {}, systemNamespace: "olmv1-system", clock: systemClock };
    plan = await planExtension(context, planned as ClusterExtension, signal);
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandError("PINTLE7121", `extension ${name} cannot be planned: ${why}. See 'pintle operator why ${name}'`, 2);
  }
  if (plan.isUpToDate || (plan.status.refused ?? []).length > 0) return { ...plan, rehearsal: undefined, notes };
  io.err(`carrying out version ${plan.spec.to.version} on the fork\n`);
  await approveOnFork(client, planned as ClusterExtension, plan.spec.digest);
  const before = fork.cluster.server.store.currentRevision();
  const { startLifecycleManager } = await import("@pintle/lifecycle/manager");
  const manager = startLifecycleManager({ client, images, catalogs: contents });
  try {
    await manager.ready;
    const { progressing, rolledOut } = await waitOnFork(client, name, plan.spec.to.version, fork.cluster, signal);
    const changed = fork.cluster.at(before).diff().filter(isContent);
    return {
      ...plan,
      rehearsal: {
        rolledOut,
        progress: progressing === undefined ? "not reconciled" : formatCondition(progressing),
        changes: changed.map(({ type, kind, namespace, name: of }) => ({ type, kind, namespace, name: of })),
      },
      notes,
    };
  } finally {
    await manager.stop();
  }
}

/** Approval and window apply to the live cluster only. */
async function approveOnFork(client: Client, extension: ClusterExtension, digest: string): Promise<void> {
  const { ExtensionPolicyKind } = await import("@pintle/lifecycle/manager");
  const { selectPolicy } = await import("@pintle/lifecycle/internal/manager");
  const { NotFound } = await import("pintle/client");
  const { items } = await client.list(ExtensionPolicyKind).catch((error: unknown) => {
    if (error instanceof NotFound) return { items: [] };
    throw error;
  });
  const policy = selectPolicy(items, extension);
  if (policy === undefined) return;
  const merge = { spec: { approval: "Automatic", window: null, approved: [...(policy.spec.approved ?? []), digest] } };
  await client.patch(ExtensionPolicyKind, { name: policy.metadata.name }, { merge } as never);
}

/** Advances the clock of the fork until the version is installed, or the manager gives up. */
async function waitOnFork(
  client: Client,
  name: string,
  version: string,
  cluster: { readonly advance: (ms: number) => Promise<void> },
  signal: AbortSignal,
): Promise<{ readonly rolledOut: boolean; readonly progressing: Condition | undefined }> {
  const { ClusterExtensionKind } = await import("@pintle/lifecycle/manager");
  let last = "";
  let progressing: Condition | undefined;
  for (let step = 0; step < MAX_STEPS; step++) {
    signal.throwIfAborted();
    await cluster.advance(STEP_MS);
    const { metadata, status } = await client.get(ClusterExtensionKind, { name });
    progressing = status?.conditions?.find(({ type }) => type === "Progressing");
    const isCurrent = (progressing?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
    const isInstalled = status?.install?.bundle.version === version && (status.activeRevisions?.length ?? 1) === 1;
    if (isCurrent && isInstalled && progressing?.reason === "Succeeded") return { rolledOut: true, progressing };
    if (isCurrent && progressing?.status === "False") break;
    if (metadata.resourceVersion === last) await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    last = metadata.resourceVersion;
  }
  return { rolledOut: false, progressing };
}

function isContent({ kind, type, fields }: ObjectChangeSummary): boolean {
  if (BOOKKEEPING.has(kind)) return false;
  return type !== "changed" || fields.some(({ path }) => !path.startsWith(".status") && !path.startsWith(".metadata"));
}

async function createForkImages(catalogs: readonly ReadCatalog[]): Promise<ImageSource> {
  const { createRegistryImageSource } = await import("@pintle/lifecycle/manager");
  const source = createRegistryImageSource({ insecure: (registry) => isLoopbackUrl(`http://${registry}`) });
  const byImage = new Map(catalogs.map(({ catalog }) => [catalog.spec.source.image?.ref, catalog]));
  return {
    ...source,
    /** The content was read from the live cluster already. */
    async pullCatalog(reference) {
      const { resolvedSource, lastUnpacked = "" } = byImage.get(reference)?.status ?? {};
      return {
        canonicalReference: resolvedSource?.image.ref ?? reference,
        unpackedAt: Date.parse(lastUnpacked) || 0,
        readMetas: () => [],
        async [Symbol.asyncDispose]() {},
      };
    },
  };
}

function createForkContents(catalogs: readonly ReadCatalog[]): CatalogContents {
  const byName = new Map(catalogs.map((each) => [each.catalog.metadata.name, each]));
  return {
    async replace() {},
    has: async (name) => byName.get(name)?.content !== undefined,
    async remove() {},
    getBaseUrl: (name) => byName.get(name)?.catalog.status?.urls?.base ?? "",
    readPackage: async (name) => byName.get(name)?.content,
  };
}
