import type { Api } from "./api.ts";

interface NodeList {
  readonly items: readonly {
    readonly spec: { readonly taints?: readonly unknown[] };
    readonly status: {
      readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    };
  }[];
}

/** Registers nodes as a kubelet would; kwok then renews their leases. */
export async function createNodes(server: Api, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const name = `node-${index}`;
    await server.post("/api/v1/nodes", {
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name,
        labels: {
          "kubernetes.io/hostname": name,
          "kubernetes.io/os": "linux",
          "kubernetes.io/arch": "amd64",
        },
      },
      status: {
        allocatable: { cpu: "32", memory: "256Gi", pods: "110" },
        capacity: { cpu: "32", memory: "256Gi", pods: "110" },
      },
    });
  }
}

/** Returns true when pods can be scheduled on every node. */
export async function nodesAreReady(server: Api): Promise<boolean> {
  const answer = await server.get("/api/v1/nodes");
  if (answer === undefined) return false;
  const { items } = JSON.parse(answer) as NodeList;
  return items.every(
    ({ spec, status }) => spec.taints === undefined && status.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
  );
}
