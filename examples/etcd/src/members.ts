import type { EtcdCluster } from "./etcd-cluster.ts";

export const LABEL = "etcd.pintle.dev/cluster";
export const PORTS = { client: 2379, peer: 2380, metrics: 2381 } as const;

/** Ordinals are never reused, because a member that lost its data must not return under its old name. */
export function memberName({ metadata: { name } }: EtcdCluster, ordinal: number): string {
  return `${name}-${ordinal}`;
}
export function ordinalOf(member: string): number {
  return Number(/-(\d+)$/.exec(member)?.[1] ?? 0);
}

/** Returns the DNS name of a member, which is stable across pod addresses. */
export function memberHost({ metadata: { name, namespace } }: EtcdCluster, member: string): string {
  return `${member}.${name}-peers.${namespace}.svc`;
}
export function urlScheme({ spec: { tls } }: EtcdCluster): "http" | "https" {
  return tls ? "https" : "http";
}
export function peerURL(cluster: EtcdCluster, member: string): string {
  return `${urlScheme(cluster)}://${memberHost(cluster, member)}:${PORTS.peer}`;
}
export function clientURL(cluster: EtcdCluster, member: string): string {
  return `${urlScheme(cluster)}://${memberHost(cluster, member)}:${PORTS.client}`;
}
export function etcdImage(version: string): string {
  return `quay.io/coreos/etcd:v${version}`;
}
