import type { PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import type { Call, Credentials, Endpoint } from "./call.ts";
import { isFitted, volumeOf } from "./children/index.ts";
import type { Observed, Seen } from "./decide/index.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import { type Gateway, gateway, type Member } from "./gateway.ts";
import { hostOf, PORTS, schemeOf } from "./members.ts";
import type { Soundness } from "./soundness.ts";

export interface World {
  readonly cluster: EtcdCluster;
  readonly pods: readonly Pod[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly credentials?: Credentials | undefined;
  readonly call: Call;
  readonly soundness: Soundness;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** What is there: volumes and pods in the cluster, members in etcd's own list, and what each of them says. */
export async function observe(world: World): Promise<Observed & { readonly etcd: Gateway }> {
  const { cluster, claims, credentials, call, soundness, now, signal } = world;
  const volumes = claims.filter(({ metadata }) => metadata.deletionTimestamp === undefined).flatMap((claim) => volumeOf(claim) ?? []);
  // Whose volume is gone is gone too, though it may answer for a while.
  const pods = world.pods.filter(({ metadata }) => volumes.some(({ name }) => name === metadata.name));
  const etcd = gateway({ call, endpoints: endpointsOf(cluster, pods), credentials, signal });
  const [members, full, ...said] = await Promise.all([
    etcd.members().catch(() => undefined),
    etcd.full().catch(() => []),
    ...pods.map(async ({ metadata: { name } }) => [name, await etcd.report(name).catch(() => undefined)] as const),
  ]);
  const known = members ?? (await etcd.remembered().catch(() => undefined));
  signal.throwIfAborted();
  const reports = new Map(said);
  const byName = new Map((members ?? []).map((member) => [nameOf(member), member]));
  const names = [...new Set([...volumes.map(({ name }) => name), ...byName.keys()])].sort();
  const unsound = soundness.judge(cluster, pods, reports, now);
  const seen = names.map((name): Seen => {
    const pod = pods.find(({ metadata }) => metadata.name === name && metadata.deletionTimestamp === undefined);
    const volume = volumes.find((each) => each.name === name);
    const member = byName.get(name);
    const report = reports.get(name);
    const isOther = report !== undefined && member !== undefined && report.id !== member.id;
    return {
      name,
      volume,
      member,
      healthy: report !== undefined && pod !== undefined && isReady(pod) && !isOther,
      leader: report !== undefined && report.leader === report.id,
      running: report?.version,
      fitted: pod !== undefined && volume !== undefined && isFitted(pod, volume),
      awayFor: pod === undefined || isReady(pod) ? 0 : now - Math.max(changedAt(pod), volume?.renewedAt ?? 0),
      unsound: unsound.get(name),
      size: report?.size ?? 0,
      used: report?.used ?? 0,
    };
  });
  const leading = seen.find(({ leader }) => leader)?.name;
  const best = endpointsOf(cluster, pods).sort((a, b) => Number(b.member === leading) - Number(a.member === leading));
  return {
    members,
    voters: known?.filter(({ learner }) => !learner).length ?? volumes.length,
    seen,
    full,
    revision: Math.max(0, ...said.map(([, report]) => report?.revision ?? 0)),
    etcd: gateway({ call, endpoints: best, credentials, signal }),
  };
}

/** Where the members that are up can be asked: those that are ready first. */
export function endpointsOf(cluster: EtcdCluster, pods: readonly Pod[]): Endpoint[] {
  const up = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return [...up.filter(isReady), ...up.filter((pod) => !isReady(pod))].flatMap(({ metadata: { name }, status: { podIP } }) => {
    if (podIP === undefined) return [];
    const address = podIP.includes(":") ? `[${podIP}]` : podIP;
    return [{ member: name, url: `${schemeOf(cluster)}://${address}:${PORTS.client}`, host: hostOf(cluster, name) }];
  });
}

/** One that has not started yet is known by its address only. */
function nameOf({ name, peerURLs: [url = "http://unknown"] }: Member): string {
  return name || (new URL(url).hostname.split(".")[0] ?? "");
}

function isReady({ status }: Pod): boolean {
  return status.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") === true;
}

/** When its readiness last changed; before that it was never ready. */
function changedAt({ metadata, status }: Pod): number {
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  return Date.parse(ready?.lastTransitionTime ?? metadata.creationTimestamp);
}
