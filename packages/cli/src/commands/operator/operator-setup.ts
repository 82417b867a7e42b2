import { type Client, type DynamicObject, NotFound } from "pintle/client";
import { isJsonEqual } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { Lease } from "pintle/kinds/coordination/v1";
import {
  type Command,
  CommandError,
  type Io,
  OUTPUT_DESCRIPTION,
  OUTPUT_OPTION,
  outputFormatter,
  type ParsedArguments,
  withProgress,
} from "../../command/index.ts";
import { parseImageReference } from "../../image/index.ts";
import { toYaml } from "../../manifests/index.ts";
import {
  type ApplyOutcome,
  CLUSTER_OPTION_DESCRIPTIONS,
  CLUSTER_OPTIONS,
  confirmChange,
  connectToCluster,
  deleteObject,
  formatObjectName,
  formatOutcome,
  listOperatorPods,
  resolveKind,
  SIMULATED_NOTICE,
  type TargetCluster,
  waitForDeployment,
  waitUntilDeleted,
} from "../../target-cluster/index.ts";
import { cliVersion } from "../version.ts";
import { IMAGE_DESCRIPTIONS, IMAGE_OPTIONS, pushManagerImage } from "./manager-image.ts";
import { readTimeout } from "./operator-options.ts";
import { findUpstreamDeployments, refuseUpstream, startUpstream, stopUpstream, waitUntilGone } from "./upstream-manager.ts";

export const operatorSetup: Command = {
  name: "operator setup",
  summary: "Install the lifecycle manager into a cluster, or another version of it, and wait until it leads.",
  usage:
    "[--image IMAGE [--push [--base BASE] [--platform P[,P]]] [--insecure-registry]] [--replicas N] [--feature-gates G[,G]] [--plain-http REGISTRY[,REGISTRY]] [--pull-secret NAME[,NAME]] [--take-over] [--timeout DURATION | --no-wait] [--dry-run] [--context NAME] [--kubeconfig FILE] [--yes] [--output json|yaml] | --remove",
  options: {
    image: { type: "string" },
    ...IMAGE_OPTIONS,
    replicas: { type: "string" },
    "feature-gates": { type: "string" },
    "plain-http": { type: "string" },
    "pull-secret": { type: "string" },
    "take-over": { type: "boolean" },
    remove: { type: "boolean" },
    timeout: { type: "string" },
    "no-wait": { type: "boolean" },
    "dry-run": { type: "boolean" },
    ...CLUSTER_OPTIONS,
    ...OUTPUT_OPTION,
  },
  optionDescriptions: {
    image: "image of the manager (default: the one that the cluster has)",
    ...IMAGE_DESCRIPTIONS,
    replicas: "number of pods, of which one leads (default: 1)",
    "feature-gates": "gates of operator-controller, such as SingleOwnNamespaceInstallSupport=true",
    "plain-http": "registries of catalogs and bundles that the manager reaches over plain HTTP",
    "pull-secret": "Secrets of namespace olmv1-system with logins for registries",
    "take-over": "stop the catalogd and operator-controller of the cluster, and continue with their catalogs and extensions",
    remove: "remove the manager; extensions, catalogs and what they installed are kept",
    timeout: "how long to wait, such as 90s or 10m (default: 5m)",
    "no-wait": "do not wait until the manager leads",
    "dry-run": "print the objects instead of applying them; needs no cluster",
    ...CLUSTER_OPTION_DESCRIPTIONS,
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle operator setup --image ghcr.io/me/pintle-lifecycle-manager:1 --push --base docker.io/library/node:22-slim",
    "pintle operator setup --image ghcr.io/me/pintle-lifecycle-manager:1 --dry-run | kubectl apply --server-side -f -",
    "pintle operator setup --context prod --image ghcr.io/me/pintle-lifecycle-manager:1 --take-over --yes",
    "pintle operator setup --remove",
  ],
  async run(args, io) {
    if (args.values["remove"] === true) return remove(args, io);
    if (args.values["dry-run"] === true) return printObjects(args, io);
    return setUp(args, io);
  },
};

/** Reads the settings that become objects. */
async function readSettings({ values }: ParsedArguments, image: string, certificateSecret?: string) {
  parseImageReference(image);
  const replicas = Number(values["replicas"] ?? 1);
  if (!Number.isInteger(replicas) || replicas < 1)
    throw new CommandError("PINTLE7005", `invalid --replicas "${String(values["replicas"])}": must be a number from 1`, 2);
  const list = (name: string) =>
    String(values[name] ?? "")
      .split(",")
      .filter(Boolean);
  const own = values["insecure-registry"] === true ? [parseImageReference(image).registry] : [];
  const pullSecrets = list("pull-secret");
  return {
    image,
    version: cliVersion(),
    replicas,
    featureGates: list("feature-gates"),
    insecureRegistries: [...new Set([...own, ...list("plain-http")])],
    ...(pullSecrets.length === 0 ? {} : { pullSecrets }),
    ...(certificateSecret === undefined ? {} : { certificateSecret }),
  };
}

async function printObjects(args: ParsedArguments, io: Io): Promise<void> {
  const { buildSetupObjects } = await import("@pintle/lifecycle/internal/setup");
  const format = outputFormatter(args);
  const objects = buildSetupObjects(await readSettings(args, requireImage(args, undefined)));
  io.out(args.values["output"] === "json" ? format!(objects) : toYaml(objects));
}

function requireImage({ values }: ParsedArguments, existing: Deployment | undefined): string {
  const image = (values["image"] as string | undefined) ?? existing?.spec.template.spec?.containers[0]?.image;
  if (image !== undefined) return image;
  throw new CommandError(
    "PINTLE7004",
    "missing --image, for example: pintle operator setup --image ghcr.io/me/pintle-lifecycle-manager:1 --push",
    2,
  );
}

async function setUp(args: ParsedArguments, io: Io): Promise<void> {
  const { buildSetupObjects, findUpstreamCertificate, MANAGER_NAME, REPLICAS_ANNOTATION, SYSTEM_NAMESPACE } = await import(
    "@pintle/lifecycle/internal/setup"
  );
  const { values } = args;
  const output = outputFormatter(args);
  const timeoutMs = readTimeout(args);
  await using cluster = await connectToCluster(args, io);
  const { client } = cluster;
  const ref = { name: MANAGER_NAME, namespace: SYSTEM_NAMESPACE };
  const existing = await client.find(Deployment, ref, { signal: io.signal });
  const image = requireImage(args, existing);
  const upstream = await findUpstreamDeployments(cluster, io.signal);
  if (values["take-over"] !== true) refuseUpstream(cluster, upstream);
  const isTakenOver =
    values["take-over"] === true || upstream.some(({ metadata }) => metadata.annotations?.[REPLICAS_ANNOTATION] !== undefined);
  const settings = await readSettings(args, image, isTakenOver ? findUpstreamCertificate(upstream) : undefined);
  const objects = buildSetupObjects(settings);
  const report = (line: string) => (output === undefined ? io.out(`${line}\n`) : undefined);
  const before = existing?.metadata.labels?.["app.kubernetes.io/version"];
  const action =
    existing === undefined ? "install" : before === settings.version ? "configure" : `upgrade (${before} -> ${settings.version})`;
  await confirmChange(cluster, `${action} the lifecycle manager in namespace ${SYSTEM_NAMESPACE} with image ${image}`, args, io);
  const digest = values["push"] === true ? await pushManagerImage(image, args, io) : undefined;
  if (digest !== undefined) report(`${image}  ${digest} pushed`);
  if (upstream.length > 0) await withProgress(io, "waiting for the pods of upstream to end", stopUpstream(cluster, upstream, io, report));
  const outcomes = await applyAll(client, objects, io, (object, outcome) => report(formatOutcome(object, outcome)));
  for (const object of await findObsolete(client, objects, io.signal)) {
    if (await deleteObject(client, object, io.signal)) report(formatOutcome(object, "deleted"));
  }
  const isSimulated = values["no-wait"] === true ? false : await waitUntilLeading(cluster, timeoutMs, io, report);
  const summary = { namespace: SYSTEM_NAMESPACE, image, version: settings.version, ...(digest === undefined ? {} : { digest }) };
  if (output !== undefined) return io.out(output({ ...summary, objects: Object.fromEntries(outcomes) }));
  const state = values["no-wait"] === true || isSimulated ? "is set up" : "leads";
  io.out(`lifecycle manager ${settings.version} ${state} in namespace ${SYSTEM_NAMESPACE}: ${countOutcomes(outcomes)}\n`);
  if (isSimulated) io.out(`${SIMULATED_NOTICE}\n`);
}

/** Applies the objects in their order. Waits after each CRD until its kind is served, because later objects need it. */
async function applyAll(
  client: Client,
  objects: readonly JsonObject[],
  { signal }: Io,
  onApplied: (object: JsonObject, outcome: ApplyOutcome) => void,
): Promise<ReadonlyMap<string, ApplyOutcome>> {
  const { SETUP_FIELD_MANAGER } = await import("@pintle/lifecycle/internal/setup");
  const outcomes = new Map<string, ApplyOutcome>();
  for (const object of objects) {
    const kind = await resolveKind(client, object, signal);
    const at = object["metadata"] as never;
    const before = await client.find(kind, at, { signal });
    const after = await client.apply(kind, object as never, { fieldManager: SETUP_FIELD_MANAGER, force: true, signal });
    const outcome = before === undefined ? "created" : isJsonEqual(readContent(before), readContent(after)) ? "unchanged" : "changed";
    outcomes.set(formatObjectName(object), outcome);
    if (outcome !== "unchanged") onApplied(object, outcome);
  }
  for (const { kind, metadata } of objects) {
    if (kind !== "CustomResourceDefinition") continue;
    const isEstablished = ({ status }: CustomResourceDefinition) =>
      (status?.conditions ?? []).some(({ type, status: is }) => type === "Established" && is === "True");
    await client.waitFor(CustomResourceDefinition, metadata as never, isEstablished, { signal });
  }
  return outcomes;
}

/** An apply that changes nothing may still reorder the managed fields. */
function readContent({ metadata, ...rest }: DynamicObject): JsonObject {
  const { managedFields: _, resourceVersion: __, ...kept } = metadata as unknown as JsonObject;
  return { ...(rest as JsonObject), metadata: kept };
}

/** The objects that an earlier version had and this one has not. */
async function findObsolete(client: Client, objects: readonly JsonObject[], signal: AbortSignal): Promise<readonly JsonObject[]> {
  const { SETUP_LABELS } = await import("@pintle/lifecycle/internal/setup");
  const wanted = new Set(objects.map(formatObjectName));
  const kinds = new Map(objects.map((object) => [`${String(object["apiVersion"])}/${String(object["kind"])}`, object]));
  const lists = [...kinds.values()].map(async (object) => {
    const { items } = await client.list(await resolveKind(client, object, signal), { labels: { ...SETUP_LABELS }, signal });
    const { apiVersion, kind } = object;
    return items.map(({ metadata }) => ({ apiVersion, kind, metadata }) as unknown as JsonObject);
  });
  return (await Promise.all(lists)).flat().filter((object) => !wanted.has(formatObjectName(object)));
}

/** Waits for the Deployment, and then until one of its pods holds the lease. Returns whether the pods are simulated: those never lead. */
async function waitUntilLeading({ client }: TargetCluster, timeoutMs: number, io: Io, report: (line: string) => void): Promise<boolean> {
  const { MANAGER_NAME, SYSTEM_NAMESPACE: namespace } = await import("@pintle/lifecycle/internal/setup");
  const { LEASE_NAMES } = await import("@pintle/lifecycle/internal/program");
  const ref = { name: MANAGER_NAME, namespace };
  const until = AbortSignal.timeout(timeoutMs);
  await withProgress(io, `waiting for deployment ${MANAGER_NAME}`, waitForDeployment(client, ref, timeoutMs, io));
  report(`Deployment/${MANAGER_NAME} is available`);
  const pods = await listOperatorPods(client, await client.get(Deployment, ref, { signal: io.signal }), io.signal);
  if (pods.some(({ simulated }) => simulated)) return true;
  const name = LEASE_NAMES.at(-1)!;
  let holder = "";
  const signal = AbortSignal.any([io.signal, until]);
  const isHeld = ({ spec }: Lease) => {
    holder = spec?.holderIdentity ?? "";
    return pods.some((pod) => holder.startsWith(`${pod.name}_`));
  };
  try {
    await withProgress(io, `waiting for Lease/${name}`, client.waitFor(Lease, { name, namespace }, isHeld, { signal }));
  } catch (error) {
    io.signal.throwIfAborted();
    if (!until.aborted) throw error;
    const who = holder === "" ? "it has no holder" : `${holder} holds it`;
    throw new CommandError(
      "PINTLE7131",
      `waited ${timeoutMs / 1000}s for Lease ${namespace}/${name} to be held by a pod of ${MANAGER_NAME}: ${who}. See 'kubectl -n ${namespace} logs deploy/${MANAGER_NAME}'`,
    );
  }
  report(`Lease/${name} held by ${holder}`);
  return false;
}

function countOutcomes(outcomes: ReadonlyMap<string, ApplyOutcome>): string {
  const count = (counted: ApplyOutcome) => [...outcomes.values()].filter((outcome) => outcome === counted).length;
  return `${count("created")} created, ${count("changed")} configured, ${count("unchanged")} unchanged`;
}

/** Kinds of objects that users created. While such objects exist, the namespace is kept. */
async function countUserObjects(client: Client, signal: AbortSignal): Promise<readonly string[]> {
  const { ClusterCatalogKind, ClusterExtensionKind, ClusterObjectSetKind } = await import("@pintle/lifecycle/manager");
  const lists = [ClusterCatalogKind, ClusterExtensionKind, ClusterObjectSetKind].map(async (kind) => {
    const { items } = await client.list(kind as typeof ClusterCatalogKind, { signal }).catch((error: unknown) => {
      if (error instanceof NotFound) return { items: [] };
      throw error;
    });
    return items.length === 0 ? [] : [`${items.length} ${kind.plural}`];
  });
  return (await Promise.all(lists)).flat();
}

async function remove(args: ParsedArguments, io: Io): Promise<void> {
  const { buildSetupObjects, MANAGER_NAME, SYSTEM_NAMESPACE: namespace } = await import("@pintle/lifecycle/internal/setup");
  const output = outputFormatter(args);
  await using cluster = await connectToCluster(args, io);
  const { client } = cluster;
  const upstream = await findUpstreamDeployments(cluster, io.signal);
  const used = await countUserObjects(client, io.signal);
  const isShared = upstream.length > 0;
  const keeps = ({ kind, metadata }: JsonObject) => {
    if (isShared) return (metadata as { readonly name: string }).name !== MANAGER_NAME;
    return used.length > 0 && (kind === "CustomResourceDefinition" || kind === "Namespace");
  };
  const objects = buildSetupObjects({ image: MANAGER_NAME, version: cliVersion() });
  await confirmChange(cluster, `remove the lifecycle manager from namespace ${namespace}`, args, io);
  const report = (line: string) => (output === undefined ? io.out(`${line}\n`) : undefined);
  const deleted: string[] = [];
  // The manager ends first, so that nothing is reconciled while its rights disappear, and its leases are free.
  if ((await client.find(Deployment, { name: MANAGER_NAME, namespace }, { signal: io.signal })) !== undefined) {
    await client.patch(Deployment, { name: MANAGER_NAME, namespace }, { merge: { spec: { replicas: 0 } } }, { signal: io.signal });
    await withProgress(io, "waiting for the manager to end", waitUntilGone(client, { name: MANAGER_NAME, namespace }, io));
  }
  for (const object of objects.toReversed()) {
    if (keeps(object) || !(await deleteObject(client, object, io.signal))) continue;
    await withProgress(io, `waiting for deletion of ${formatObjectName(object)}`, waitUntilDeleted(client, object, io.signal));
    deleted.push(formatObjectName(object));
    report(formatOutcome(object, "deleted"));
  }
  const started = await startUpstream(cluster, upstream, io);
  for (const name of started) report(`Deployment/${name} started again`);
  if (output !== undefined) return io.out(output({ deleted, started, kept: used }));
  if (deleted.length === 0) return io.out("the lifecycle manager is not installed\n");
  const kept = used.length === 0 ? "" : `; CRDs and namespace ${namespace} were kept for ${used.join(", ")}`;
  io.out(`lifecycle manager removed from namespace ${namespace}${kept}\n`);
}
