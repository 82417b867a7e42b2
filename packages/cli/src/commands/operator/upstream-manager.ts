import { Deployment } from "pintle/kinds/apps/v1";
import { type Command, CommandError, type Io } from "../../command/index.ts";
import type { TargetCluster } from "../../target-cluster/index.ts";

type Run = Parameters<Command["run"]>[1];

/** The Deployments of catalogd and operator-controller in a cluster, running or stopped. */
export async function findUpstreamDeployments({ client }: TargetCluster, signal: AbortSignal): Promise<readonly Deployment[]> {
  const { UPSTREAM_DEPLOYMENTS } = await import("@pintle/lifecycle/internal/setup");
  const { items } = await client.list(Deployment, { signal });
  return items.filter(({ metadata }) => UPSTREAM_DEPLOYMENTS.includes(metadata.name));
}

export const isRunning = ({ spec }: Deployment) => (spec.replicas ?? 1) > 0;

/** Throws an error that says what to do if upstream's programs run. */
export function refuseUpstream({ description }: TargetCluster, deployments: readonly Deployment[]): void {
  const running = deployments.filter(isRunning);
  if (running.length === 0) return;
  const names = running.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(" and ");
  throw new CommandError(
    "PINTLE7130",
    `${description} already runs OLM v1: Deployments ${names}. Pass --take-over to stop them and continue with their catalogs and extensions; 'pintle operator setup --remove' starts them again. Nothing was changed`,
  );
}

/** Stops upstream's programs, remembers how many replicas they had, and waits until no pod of them is left. */
export async function stopUpstream({ client }: TargetCluster, deployments: readonly Deployment[], io: Io, report: (line: string) => void) {
  const { REPLICAS_ANNOTATION } = await import("@pintle/lifecycle/internal/setup");
  for (const { metadata, spec } of deployments.filter(isRunning)) {
    const { name, namespace } = metadata;
    const annotations = { [REPLICAS_ANNOTATION]: String(spec.replicas ?? 1) };
    const stopped = { metadata: { annotations }, spec: { replicas: 0 } };
    await client.patch(Deployment, { name, namespace }, { merge: stopped }, { signal: io.signal });
    report(`Deployment/${name} stopped; it had ${spec.replicas ?? 1} replicas`);
  }
  for (const { metadata } of deployments) await waitUntilGone(client, metadata, io);
}

/** Starts upstream's programs again as they were. Returns their names. */
export async function startUpstream({ client }: TargetCluster, deployments: readonly Deployment[], io: Pick<Run, "signal">) {
  const { REPLICAS_ANNOTATION } = await import("@pintle/lifecycle/internal/setup");
  const started: string[] = [];
  for (const { metadata } of deployments) {
    const replicas = Number(metadata.annotations?.[REPLICAS_ANNOTATION]);
    if (!Number.isInteger(replicas)) continue;
    const { name, namespace } = metadata;
    const merge = { metadata: { annotations: { [REPLICAS_ANNOTATION]: null } }, spec: { replicas } };
    await client.patch(Deployment, { name, namespace }, { merge: merge as never }, { signal: io.signal });
    started.push(name);
  }
  return started;
}

/** Waits until a Deployment has no pod any more: a pod that terminates may still write. */
export async function waitUntilGone(
  client: TargetCluster["client"],
  { name, namespace }: { readonly name: string; readonly namespace: string },
  io: Io,
): Promise<void> {
  await client.waitFor(
    Deployment,
    { name, namespace },
    ({ status, metadata }) =>
      (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
      (status?.replicas ?? 0) === 0 &&
      (status?.terminatingReplicas ?? 0) === 0,
    { signal: io.signal },
  );
}
