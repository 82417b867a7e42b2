import type { PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import type { Observed, Seen } from "./analyse.ts";
import { endpointOf, peerURL, volumeOf } from "./children.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import { gateway, type Member, type Report } from "./gateway.ts";

export interface World {
  readonly pods: readonly Pod[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Where the members that are up can be asked: those that are ready first. */
export function endpointsOf(pods: readonly Pod[]): readonly string[] {
  const up = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  return [...up.filter(isReady), ...up.filter((pod) => !isReady(pod))].flatMap((pod) => endpointOf(pod) ?? []);
}

/** What is there: volumes and pods in the cluster, members in etcd's own list, and what each of them says. */
export async function observe({ pods, claims, now, signal }: World): Promise<Observed> {
  const etcd = gateway(endpointsOf(pods), signal);
  const members = await etcd.members().catch(() => undefined);
  signal.throwIfAborted();
  const nameOf = (member: Member) => member.name || (new URL(member.peerURLs[0] ?? "http://unknown").hostname.split(".")[0] ?? "");
  const byName = new Map((members ?? []).map((member) => [nameOf(member), member]));
  const volumes = claims.filter((claim) => claim.metadata.deletionTimestamp === undefined).flatMap((claim) => volumeOf(claim) ?? []);
  const names = [...new Set([...volumes.map(({ name }) => name), ...byName.keys()])].sort();
  const seen = names.map(async (name): Promise<Seen> => {
    const pod = pods.find((each) => each.metadata.name === name && each.metadata.deletionTimestamp === undefined);
    const member = byName.get(name);
    const endpoint = pod && endpointOf(pod);
    const report: Report | undefined = endpoint === undefined ? undefined : await etcd.report(endpoint).catch(() => undefined);
    signal.throwIfAborted();
    return {
      name,
      volume: volumes.find((volume) => volume.name === name),
      member,
      healthy: report !== undefined && pod !== undefined && isReady(pod) && (member === undefined || report.id === member.id),
      leader: report !== undefined && report.leader === report.id,
      running: report?.version,
      awayFor: pod === undefined ? 0 : now - readySince(pod),
    };
  });
  return { members, seen: await Promise.all(seen) };
}

/** The list of those who are there, as a member that is about to begin must know it. */
export function initialClusterFor(cluster: EtcdCluster, { members = [], seen }: Observed, name: string): string {
  const others = seen.filter((each) => each.name !== name && each.member !== undefined && each.member.name !== "").map((each) => each.name);
  return [...others, name]
    .map((each) => `${each}=${members.find((m) => m.name === each)?.peerURLs[0] ?? peerURL(cluster, each)}`)
    .join(",");
}

function isReady({ status }: Pod): boolean {
  return status.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") === true;
}

/** When its readiness last changed; before that it was never ready. */
function readySince({ metadata, status }: Pod): number {
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  return Date.parse(ready?.lastTransitionTime ?? metadata.creationTimestamp);
}
