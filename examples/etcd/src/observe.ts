import type { PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { podMatchesVolume, volumeFromClaim } from "./children/index.ts";
import type { ClusterObservation, ObservedMember } from "./decide/index.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import type { Credentials, Endpoint, SendEtcdRequest } from "./etcd-request.ts";
import { createGateway, type Gateway, type Member } from "./gateway.ts";
import type { HealthTracker } from "./member-health.ts";
import { memberHost, PORTS, urlScheme } from "./members.ts";

export interface ObserveInput {
  readonly cluster: EtcdCluster;
  readonly pods: readonly Pod[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly credentials?: Credentials | undefined;
  readonly call: SendEtcdRequest;
  readonly soundness: HealthTracker;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Observes claims and pods in Kubernetes, the member list of etcd, and the status of each member. */
export async function observeCluster(input: ObserveInput): Promise<ClusterObservation & { readonly etcd: Gateway }> {
  const { cluster, claims, credentials, call, soundness, now, signal } = input;
  const volumes = claims
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .flatMap((claim) => volumeFromClaim(claim) ?? []);
  // A member whose volume is deleted is lost, even if it still responds.
  const pods = input.pods.filter(({ metadata }) => volumes.some(({ name }) => name === metadata.name));
  const etcd = createGateway({ call, endpoints: listEndpoints(cluster, pods), credentials, signal });
  const [members, full, ...statuses] = await Promise.all([
    etcd.members().catch(() => undefined),
    etcd.outOfSpaceIds().catch(() => []),
    ...pods.map(async ({ metadata: { name } }) => [name, await etcd.status(name).catch(() => undefined)] as const),
  ]);
  const knownMembers = members ?? (await etcd.localMembers().catch(() => undefined));
  signal.throwIfAborted();
  const statusByName = new Map(statuses);
  const byName = new Map((members ?? []).map((member) => [memberName(member), member]));
  const names = [...new Set([...volumes.map(({ name }) => name), ...byName.keys()])].sort();
  const unhealthyReasons = soundness.evaluate(cluster, pods, statusByName, now);
  const observedMembers = names.map((name): ObservedMember => {
    const pod = pods.find(({ metadata }) => metadata.name === name && metadata.deletionTimestamp === undefined);
    const volume = volumes.find((each) => each.name === name);
    const member = byName.get(name);
    const report = statusByName.get(name);
    const isOtherMember = report !== undefined && member !== undefined && report.id !== member.id;
    return {
      name,
      volume,
      member,
      healthy: report !== undefined && pod !== undefined && isReady(pod) && !isOtherMember,
      leader: report !== undefined && report.leader === report.id,
      runningVersion: report?.version,
      podMatchesVolume: pod !== undefined && volume !== undefined && podMatchesVolume(pod, volume),
      notReadyForMs: pod === undefined || isReady(pod) ? 0 : now - Math.max(readinessChangedAt(pod), volume?.renewedAt ?? 0),
      unhealthyReason: unhealthyReasons.get(name),
      dbSizeBytes: report?.dbSizeBytes ?? 0,
      dbUsedBytes: report?.dbUsedBytes ?? 0,
    };
  });
  const leading = observedMembers.find(({ leader }) => leader)?.name;
  const leaderFirst = listEndpoints(cluster, pods).sort((a, b) => Number(b.member === leading) - Number(a.member === leading));
  return {
    memberList: members,
    voterCount: knownMembers?.filter(({ learner }) => !learner).length ?? volumes.length,
    observedMembers,
    outOfSpaceIds: full,
    revision: Math.max(0, ...statuses.map(([, report]) => report?.revision ?? 0)),
    etcd: createGateway({ call, endpoints: leaderFirst, credentials, signal }),
  };
}

/** Returns the endpoints of running members, ready ones first. */
export function listEndpoints(cluster: EtcdCluster, pods: readonly Pod[]): Endpoint[] {
  const up = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return [...up.filter(isReady), ...up.filter((pod) => !isReady(pod))].flatMap(({ metadata: { name }, status: { podIP } }) => {
    if (podIP === undefined) return [];
    const address = podIP.includes(":") ? `[${podIP}]` : podIP;
    return [{ member: name, url: `${urlScheme(cluster)}://${address}:${PORTS.client}`, host: memberHost(cluster, name) }];
  });
}

/** A member that has not started is known only by its peer URL. */
function memberName({ name, peerURLs: [url = "http://unknown"] }: Member): string {
  return name || (new URL(url).hostname.split(".")[0] ?? "");
}

function isReady({ status }: Pod): boolean {
  return status.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") === true;
}

/** Returns when readiness last changed, or the creation time of a pod that was never ready. */
function readinessChangedAt({ metadata, status }: Pod): number {
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  return Date.parse(ready?.lastTransitionTime ?? metadata.creationTimestamp);
}
