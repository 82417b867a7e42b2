import { defineResource, type ReadOf, z } from "pintle";

const RETENTION = /^\d+(m|h)$/;

export const EtcdCluster = defineResource({
  group: "etcd.pintle.dev",
  version: "v1",
  kind: "EtcdCluster",
  shortNames: ["etcd"],
  spec: z.object({
    size: z
      .union([z.literal(1), z.literal(3), z.literal(5), z.literal(7)])
      .default(3)
      .describe("How many members; an odd number."),
    version: z
      .string()
      .regex(/^3\.\d+\.\d+$/)
      .default("3.6.16")
      .describe("The version of etcd they run."),
    storage: z.string().default("1Gi").describe("How much each of them may store; cannot be changed."),
    tls: z
      .boolean()
      .default(false)
      .describe("Members and clients prove who they are, with certificates that the operator signs; cannot be changed."),
    quotaMegabytes: z.int32().min(16).max(8192).default(2048).describe("How large the database may become before writes are refused."),
    compactAfter: z.string().regex(RETENTION).default("1h").describe("How long old revisions of keys are kept: 30m, 1h."),
    defragmentAtPercent: z
      .int32()
      .min(10)
      .max(95)
      .default(50)
      .describe("A member whose database is empty to this part is defragmented, if that frees 8 megabytes or more."),
    replaceAfterSeconds: z.int32().min(5).default(120).describe("A member that has been away for so long is replaced."),
  }),
  status: z.object({
    members: z
      .array(
        z.object({
          name: z.string().describe("Of its pod."),
          id: z.string().describe("Of the member, as etcd writes it: hexadecimal."),
          version: z.string().describe("What it runs."),
          healthy: z.boolean().describe("Whether it answers."),
          learner: z.boolean().describe("Whether it has no vote yet."),
          leader: z.boolean().describe("Whether it leads."),
        }),
      )
      .describe("Who takes part, by name."),
    lastOrdinal: z.int32().describe("The highest number that a member ever had; the next one gets the next."),
    history: z.string().describe("The uid of the EtcdRestore that its data began with; empty if it began with none."),
    ready: z.int32().describe("How many voters are healthy."),
    leader: z.string().describe("The name of the leader."),
    endpoint: z.string().describe("Where clients find it."),
    version: z.string().describe("What all members run at least."),
  }),
  conditions: ["Available", "Progressing", "Degraded"],
  rules: [
    { rule: "self.spec.tls == oldSelf.spec.tls", message: "spec.tls cannot be changed: restore a backup into a new cluster instead" },
    { rule: "self.spec.storage == oldSelf.spec.storage", message: "spec.storage cannot be changed" },
  ],
  scale: { spec: ".spec.size", status: ".status.ready" },
  columns: [
    { name: "Size", path: ".spec.size" },
    { name: "Ready", path: ".status.ready" },
    { name: "Version", path: ".status.version" },
    { name: "Leader", path: ".status.leader" },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
});
export interface EtcdCluster extends ReadOf<typeof EtcdCluster> {}

/** On a cluster that has lost its quorum: go on with what this member has, and forget the others and what only they knew. */
export const RECOVER_FROM = "etcd.pintle.dev/recover-from";
