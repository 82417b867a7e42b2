import { defineResource, type ReadOf, z } from "pintle";
import { condition } from "pintle/client";
import type { Restore } from "./decide/index.ts";

export const EtcdRestore = defineResource({
  group: "etcd.pintle.dev",
  version: "v1",
  kind: "EtcdRestore",
  spec: z.object({
    cluster: z.string().min(1).describe("The EtcdCluster whose data becomes that of the snapshot, in the same namespace."),
    backup: z.string().min(1).describe("The EtcdBackup, in the same namespace."),
    snapshot: z.string().optional().describe("Which of its snapshots; the newest, unless one is named."),
  }),
  status: z.object({
    snapshot: z.string().describe("The claim of the snapshot; chosen once."),
  }),
  conditions: ["Complete"],
  rules: [{ rule: "self.spec == oldSelf.spec", message: "spec cannot be changed: make another EtcdRestore" }],
  columns: [
    { name: "Cluster", path: ".spec.cluster" },
    { name: "Snapshot", path: ".status.snapshot" },
    { name: "Complete", path: '.status.conditions[?(@.type=="Complete")].status' },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
});
export interface EtcdRestore extends ReadOf<typeof EtcdRestore> {}

/** The oldest that has been accepted and is not complete. */
export function pendingOf(restores: readonly EtcdRestore[]): Restore | undefined {
  const [next] = restores
    .filter((restore) => restore.metadata.deletionTimestamp === undefined && !condition("Complete")(restore))
    .filter(({ status }) => (status?.snapshot ?? "") !== "")
    .sort((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp));
  return next && { history: next.metadata.uid, snapshot: next.status!.snapshot! };
}
