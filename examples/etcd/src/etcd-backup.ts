import { defineResource, type ReadOf, z } from "pintle";

export const EtcdBackup = defineResource({
  group: "etcd.pintle.dev",
  version: "v1",
  kind: "EtcdBackup",
  spec: z.object({
    cluster: z.string().min(1).describe("The EtcdCluster, in the same namespace."),
    every: z
      .string()
      .regex(/^\d+(s|m|h)$/)
      .optional()
      .describe("How often: 30m, 6h. Without it, once."),
    keep: z.int32().min(1).max(100).default(3).describe("How many snapshots are kept; the oldest goes first."),
    storage: z.string().default("1Gi").describe("Room for one snapshot."),
  }),
  status: z.object({
    snapshots: z
      .array(
        z.object({
          name: z.string().describe("Of the claim that holds it."),
          takenAt: z.string().describe("When it was complete."),
          revision: z.int().describe("All writes up to this revision are in it."),
          version: z.string().describe("Of the etcd that it came from."),
        }),
      )
      .describe("What can be restored, the oldest first."),
    count: z.int32().describe("How many there are."),
    latest: z.string().describe("The name of the newest."),
  }),
  conditions: ["Complete"],
  columns: [
    { name: "Cluster", path: ".spec.cluster" },
    { name: "Every", path: ".spec.every" },
    { name: "Snapshots", path: ".status.count" },
    { name: "Latest", path: ".status.latest" },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
});
export interface EtcdBackup extends ReadOf<typeof EtcdBackup> {}
