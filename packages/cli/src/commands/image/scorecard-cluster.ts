import type { ProcessNodesOptions } from "@pintle/cluster";
import { AlreadyExists, type Client } from "pintle/client";
import { Namespace, ServiceAccount } from "pintle/kinds/core/v1";
import { ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import { type Io, withProgress } from "../../command/index.ts";

/** What the tests expect of their cluster. */
export interface ScorecardClusterOptions {
  readonly namespace: string;
  /** The ServiceAccount of the tests. It is an administrator: the cluster has nothing that is not theirs. */
  readonly serviceAccount: string;
  readonly nodes: number | ProcessNodesOptions | undefined;
}

/** Starts an embedded cluster whose nodes run pods as processes. It ends with the returned resource. */
export async function startScorecardCluster(
  { namespace, serviceAccount, nodes }: ScorecardClusterOptions,
  io: Io,
): Promise<AsyncDisposable & { readonly client: Client }> {
  const { startCluster } = await import("@pintle/cluster");
  const cluster = await startCluster({ nodes });
  try {
    await withProgress(io, "starting a cluster", cluster.ready);
    const client = cluster.client();
    // The controllers of the cluster create the ServiceAccount `default`, sooner or later.
    await client.create(Namespace, { metadata: { name: namespace } }).catch(ignoreExisting);
    await client.create(ServiceAccount, { metadata: { namespace, name: serviceAccount } }).catch(ignoreExisting);
    await client.create(ClusterRoleBinding, {
      metadata: { name: "scorecard-tests" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", namespace, name: serviceAccount }],
    });
    return { client, [Symbol.asyncDispose]: () => cluster.stop() };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof AlreadyExists)) throw error;
}
