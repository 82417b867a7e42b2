import { defineResource, type ObjectOf, z } from "pintle";
import { hasCondition } from "pintle/client";
import type { RestoreSource } from "./decide/index.ts";

export const EtcdRestore = defineResource({
  group: "etcd.pintle.dev",
  version: "v1",
  kind: "EtcdRestore",
  spec: z.object({
    cluster: z.string().min(1).describe("Name of the EtcdCluster in the same namespace whose data is replaced by the snapshot."),
    backup: z.string().min(1).describe("Name of the EtcdBackup in the same namespace."),
    snapshot: z.string().optional().describe("Name of the snapshot. Default: the newest."),
  }),
  status: z.object({
    snapshot: z.string().describe("Claim of the snapshot. Set once."),
  }),
  conditions: ["Complete"],
  rules: [{ rule: "self.spec == oldSelf.spec", message: "spec is immutable: create another EtcdRestore" }],
  columns: [
    { name: "Cluster", path: ".spec.cluster" },
    { name: "Snapshot", path: ".status.snapshot" },
    { name: "Complete", path: '.status.conditions[?(@.type=="Complete")].status' },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
});
export interface EtcdRestore extends ObjectOf<typeof EtcdRestore> {}

/** Returns the oldest restore that was accepted and is not complete. */
export function findPendingRestore(restores: readonly EtcdRestore[]): RestoreSource | undefined {
  const [next] = restores
    .filter((restore) => restore.metadata.deletionTimestamp === undefined && !hasCondition("Complete")(restore))
    .filter(({ status }) => (status?.snapshot ?? "") !== "")
    .sort((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp));
  return next && { history: next.metadata.uid, snapshot: next.status!.snapshot! };
}
