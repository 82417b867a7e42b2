import type { Node, Pod } from "pintle/kinds/core/v1";
import { nanos, podTotals } from "../../builtin/index.ts";

/** What a pod takes from a node. */
export interface Share {
  readonly requests: ReadonlyMap<string, bigint>;
  /** "protocol/port" of the host. */
  readonly ports: readonly string[];
}

export function shareOf(pod: Pod): Share {
  const requests = new Map(Object.entries(podTotals(pod as never, "requests")).map(([name, value]) => [name, nanos(value)]));
  const ports = pod.spec.containers.flatMap((container) =>
    (container.ports ?? []).flatMap(({ hostPort, protocol = "TCP", containerPort }) => {
      const port = pod.spec.hostNetwork ? (hostPort ?? containerPort) : hostPort;
      return port ? [`${protocol}/${port}`] : [];
    }),
  );
  return { requests, ports };
}

/** What is taken of a node. */
export interface Taken {
  readonly pods: number;
  of(resource: string): bigint;
  hasPort(port: string): boolean;
}

interface Account {
  pods: number;
  readonly sums: Map<string, bigint>;
  readonly ports: Map<string, number>;
}

/** Who has how much of which node: pods that are bound, and those that are about to be. */
export function ledger() {
  const accounts = new Map<string, Account>();
  const placed = new Map<string, { readonly node: string; readonly share: Share }>();
  const accountOf = (node: string) => {
    const known = accounts.get(node) ?? { pods: 0, sums: new Map(), ports: new Map() };
    accounts.set(node, known);
    return known;
  };
  const book = (node: string, { requests, ports }: Share, sign: 1 | -1) => {
    const account = accountOf(node);
    account.pods += sign;
    for (const [name, value] of requests) account.sums.set(name, (account.sums.get(name) ?? 0n) + BigInt(sign) * value);
    for (const port of ports) account.ports.set(port, (account.ports.get(port) ?? 0) + sign);
  };
  const remove = (uid: string) => {
    const known = placed.get(uid);
    if (known === undefined) return;
    placed.delete(uid);
    book(known.node, known.share, -1);
  };
  return {
    remove,
    put(uid: string, node: string, pod: Pod): void {
      if (placed.get(uid)?.node === node) return;
      remove(uid);
      const share = shareOf(pod);
      placed.set(uid, { node, share });
      book(node, share, 1);
    },
    taken(node: string): Taken {
      const account = accounts.get(node);
      return {
        pods: account?.pods ?? 0,
        of: (resource) => account?.sums.get(resource) ?? 0n,
        hasPort: (port) => (account?.ports.get(port) ?? 0) > 0,
      };
    },
  };
}

/** What a node has of a resource, in billionths. */
export function sizeOf({ status }: Node, resource: string): bigint {
  return nanos(status.allocatable?.[resource] ?? "0");
}
