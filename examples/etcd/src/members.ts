import type { EtcdCluster } from "./etcd-cluster.ts";

export const LABEL = "etcd.pintle.dev/cluster";
export const PORTS = { client: 2379, peer: 2380, metrics: 2381 } as const;

/** Numbers count up and are never used twice: who lost its data may not come back under its old name. */
export function memberName({ metadata: { name } }: EtcdCluster, ordinal: number): string {
  return `${name}-${ordinal}`;
}
export function ordinalOf(member: string): number {
  return Number(/-(\d+)$/.exec(member)?.[1] ?? 0);
}

/** The name by which a member is found, whatever its pod's address. */
export function hostOf({ metadata: { name, namespace } }: EtcdCluster, member: string): string {
  return `${member}.${name}-peers.${namespace}.svc`;
}
export function schemeOf({ spec: { tls } }: EtcdCluster): "http" | "https" {
  return tls ? "https" : "http";
}
export function peerURL(cluster: EtcdCluster, member: string): string {
  return `${schemeOf(cluster)}://${hostOf(cluster, member)}:${PORTS.peer}`;
}
export function clientURL(cluster: EtcdCluster, member: string): string {
  return `${schemeOf(cluster)}://${hostOf(cluster, member)}:${PORTS.client}`;
}
export function imageOf(version: string): string {
  return `quay.io/coreos/etcd:v${version}`;
}
