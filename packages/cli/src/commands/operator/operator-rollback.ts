import type { ClusterExtension, ClusterObjectSet } from "@pintle/lifecycle/manager";
import { NotFound } from "pintle/client";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import {
  CLUSTER_OPTION_DESCRIPTIONS,
  CLUSTER_OPTIONS,
  confirmChange,
  connectToCluster,
  type TargetCluster,
} from "../../target-cluster/index.ts";
import { applyBundleSource, findBundleSource } from "./bundle-source.ts";
import {
  OPERATOR_FIELD_MANAGER,
  readTimeout,
  requireArgument,
  requireExtension,
  WAIT_DESCRIPTIONS,
  WAIT_OPTIONS,
} from "./operator-options.ts";
import { findUpstreamDeployments, isRunning } from "./upstream-manager.ts";
import { waitForExtension } from "./wait-for-extension.ts";

export const operatorRollback: Command = {
  name: "operator rollback",
  summary: "Return an extension to an earlier revision, also while a newer one fails to roll out.",
  usage: "NAME [--to REVISION] [--timeout DURATION] [--context NAME] [--kubeconfig FILE] [--yes] [--output json|yaml]",
  options: { to: { type: "string" }, timeout: WAIT_OPTIONS.timeout, ...CLUSTER_OPTIONS, ...OUTPUT_OPTION },
  optionDescriptions: {
    to: "the number of the revision (default: the previous one); see 'pintle operator history'",
    timeout: WAIT_DESCRIPTIONS.timeout,
    ...CLUSTER_OPTION_DESCRIPTIONS,
    ...OUTPUT_DESCRIPTION,
  },
  examples: ["pintle operator rollback memcached", "pintle operator rollback memcached --to 3"],
  maxPositionals: 1,
  async run(args, io) {
    const output = outputFormatter(args);
    const timeoutMs = readTimeout(args);
    const name = requireArgument(args, "extension", "rollback memcached");
    const { ClusterExtensionKind, ClusterObjectSetKind, readFailureRecord, ROLL_BACK_ANNOTATION } = await import(
      "@pintle/lifecycle/internal/manager"
    );
    await using cluster = await connectToCluster(args, io);
    const { client } = cluster;
    const extension = await requireExtension(cluster, name, io.signal);
    const labels = { "olm.operatorframework.io/owner-name": name };
    const { items } = await client.list(ClusterObjectSetKind, { labels, signal: io.signal });
    const revisions = items.toSorted((a, b) => b.spec.revision - a.spec.revision);
    const failed = new Set(revisions.flatMap((each) => readFailureRecord(each)?.revision ?? []));
    const target = chooseTarget(name, revisions, failed, args.values["to"] as string | undefined);
    const version = versionOf(target);
    const isOwnManager = await hasOwnManager(cluster, io.signal);
    const newer = revisions.filter((each) => each.spec.revision > target.spec.revision);
    // OLM v1 chooses no other bundle while a revision rolls out. Without it, the revision before gets the objects back.
    const stuck = isOwnManager ? [] : newer.filter(isRollingOut);
    await confirmChange(
      cluster,
      `go back to version ${version} of extension ${name}${stuck.map((each) => `, and delete revision ${each.metadata.name}`).join("")}`,
      args,
      io,
    );
    const report = (line: string) => (output === undefined ? io.out(`${line}\n`) : undefined);
    if (isOwnManager) await returnBundleSource(cluster, extension, target, report, io.signal);
    const request = JSON.stringify({ from: newer[0]?.spec.revision, to: target.spec.revision });
    const merge = {
      ...(isOwnManager && newer.length > 0 ? { metadata: { annotations: { [ROLL_BACK_ANNOTATION]: request } } } : {}),
      spec: { source: { catalog: { version, upgradeConstraintPolicy: "SelfCertified" as const } } },
    };
    const patched = await client.patch(
      ClusterExtensionKind,
      { name },
      { merge },
      { fieldManager: OPERATOR_FIELD_MANAGER, signal: io.signal },
    );
    report(`ClusterExtension/${name} configured to version ${version}`);
    for (const { metadata } of stuck) {
      await client.delete(ClusterObjectSetKind, { name: metadata.name }, { uid: metadata.uid, signal: io.signal });
      await client.waitForDeletion(
        ClusterObjectSetKind,
        { name: metadata.name },
        { uid: metadata.uid, signal: io.signal, timeout: timeoutMs },
      );
      report(`ClusterObjectSet/${metadata.name} deleted`);
    }
    const resume = `pintle operator upgrade ${name} --version ${version} --force`;
    const { generation = 1 } = patched.metadata;
    const done = await waitForExtension({ client, name, generation, timeoutMs, resume, onProgress: report }, io);
    io.out(output?.(done) ?? `${name} ${done.status!.install!.bundle.version} is installed\n`);
  },
};

const versionOf = ({ metadata }: ClusterObjectSet) => metadata.annotations?.["olm.operatorframework.io/bundle-version"] ?? "";
const isRollingOut = ({ spec, status }: ClusterObjectSet) =>
  spec.lifecycleState === "Active" && !(status?.conditions ?? []).some(({ type, status: is }) => type === "Succeeded" && is === "True");

/** Whether Pintle's manager runs. OLM v1's does not know its kinds, and runs as Deployments. */
async function hasOwnManager(cluster: TargetCluster, signal: AbortSignal): Promise<boolean> {
  const { ExtensionPolicyKind } = await import("@pintle/lifecycle/manager");
  try {
    await cluster.client.list(ExtensionPolicyKind, { signal });
  } catch (error) {
    if (error instanceof NotFound) return false;
    throw error;
  }
  return !(await findUpstreamDeployments(cluster, signal)).some(isRunning);
}

/** A policy that names the bundle must name that of the older revision, or it would be installed again. */
async function returnBundleSource(
  cluster: TargetCluster,
  { metadata }: ClusterExtension,
  target: ClusterObjectSet,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const policy = await findBundleSource(cluster, metadata, signal);
  const image = target.metadata.annotations?.["olm.operatorframework.io/bundle-reference"] ?? "";
  if (policy?.spec.source?.type !== "Image" || policy.spec.extensionName !== metadata.name || image === "" || image.startsWith("folder:"))
    return;
  await applyBundleSource(cluster, metadata.name, image, signal);
  report(`ExtensionPolicy/${policy.metadata.name} configured to bundle ${image}`);
}

/** The revision to go back to; `revisions` begins with the newest. Revisions that failed before are not chosen unless `wanted` names them. */
function chooseTarget(
  name: string,
  revisions: readonly ClusterObjectSet[],
  failed: ReadonlySet<number>,
  wanted: string | undefined,
): ClusterObjectSet {
  const known = revisions.map(({ spec }) => spec.revision).join(", ");
  if (wanted !== undefined) {
    const found = revisions.find(({ spec }) => String(spec.revision) === wanted);
    if (found !== undefined) return found;
    throw new CommandError("PINTLE7108", `extension ${name} has no revision ${wanted}: it has ${known === "" ? "none" : known}`);
  }
  const [newest, ...older] = revisions;
  const before = older.find(
    (each) => newest !== undefined && !failed.has(each.spec.revision) && !isRollingOut(each) && versionOf(each) !== versionOf(newest),
  );
  if (before !== undefined) return before;
  throw new CommandError(
    "PINTLE7108",
    `extension ${name} has no revision with another version: its revisions are ${known === "" ? "none" : known}`,
  );
}
