import { defineResource, type ObjectOf, z } from "pintle";
import { STORAGE } from "./etcd-cluster.ts";

export const EtcdBackup = defineResource({
  group: "etcd.pintle.dev",
  version: "v1",
  kind: "EtcdBackup",
  spec: z.object({
    cluster: z.string().min(1).describe("Name of the EtcdCluster in the same namespace."),
    every: z
      .string()
      .regex(/^\d+(s|m|h)$/)
      .optional()
      .describe("Interval between snapshots, such as 30m or 6h. A single snapshot is taken if it is not set."),
    keep: z.int32().min(1).max(100).default(3).describe("Number of snapshots to keep; the oldest is deleted first."),
    storage: z.string().regex(STORAGE).default("1Gi").describe("Storage request of the claim for one snapshot."),
  }),
  status: z.object({
    snapshots: z
      .array(
        z.object({
          name: z.string().describe("Name of the claim with the snapshot."),
          takenAt: z.string().describe("Time of completion."),
          revision: z.int().describe("Revision up to which all writes are included."),
          version: z.string().describe("etcd version of the member it was taken from."),
        }),
      )
      .describe("Snapshots that can be restored, oldest first."),
    count: z.int32().describe("Number of snapshots."),
    latest: z.string().describe("Name of the newest snapshot."),
  }),
  rules: [
    { rule: "self.metadata.name.size() <= 48", message: "must be at most 48 characters, because snapshot names are derived from it" },
  ],
  conditions: ["Complete"],
  columns: [
    { name: "Cluster", path: ".spec.cluster" },
    { name: "Every", path: ".spec.every" },
    { name: "Snapshots", path: ".status.count" },
    { name: "Latest", path: ".status.latest" },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
});
export interface EtcdBackup extends ObjectOf<typeof EtcdBackup> {}
