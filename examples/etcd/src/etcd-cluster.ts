import { defineResource, type ObjectOf, z } from "pintle";

const RETENTION = /^\d+(m|h)$/;
/** A positive quantity of bytes. */
export const STORAGE = /^[1-9]\d*(\.\d+)?([KMGTPE]i|[kMGTPE])?$/;

export const EtcdCluster = defineResource({
  group: "etcd.pintle.dev",
  version: "v1",
  kind: "EtcdCluster",
  shortNames: ["etcd"],
  spec: z.object({
    size: z
      .union([z.literal(1), z.literal(3), z.literal(5), z.literal(7)])
      .default(3)
      .describe("Number of members; must be odd."),
    version: z
      .string()
      .regex(/^3\.\d+\.\d+$/)
      .default("3.6.16")
      .describe("etcd version of the members."),
    storage: z.string().regex(STORAGE).default("1Gi").describe("Storage request of each member's claim. Immutable."),
    tls: z
      .boolean()
      .default(false)
      .describe("Require TLS with client certificates between members and for clients; the operator issues the certificates. Immutable."),
    quotaMegabytes: z.int32().min(16).max(8192).default(2048).describe("Database quota in megabytes; etcd rejects writes beyond it."),
    compactAfter: z.string().regex(RETENTION).default("1h").describe("Retention of old key revisions, such as 30m or 1h."),
    defragmentAtPercent: z
      .int32()
      .min(10)
      .max(95)
      .default(50)
      .describe("Percentage of unused database space at which a member is defragmented, if that reclaims at least 8 megabytes."),
    replaceAfterSeconds: z.int32().min(5).default(120).describe("Seconds after which an unavailable member is replaced."),
  }),
  status: z.object({
    members: z
      .array(
        z.object({
          name: z.string().describe("Name of the pod."),
          id: z.string().describe("Member ID in hexadecimal."),
          version: z.string().describe("etcd version it runs."),
          healthy: z.boolean().describe("Whether it responds and its pod is ready."),
          learner: z.boolean().describe("Whether it is a learner without a vote."),
          leader: z.boolean().describe("Whether it is the leader."),
        }),
      )
      .describe("Members, sorted by name."),
    lastOrdinal: z.int32().describe("Highest ordinal that any member has had; the next member gets the next one."),
    history: z.string().describe("uid of the EtcdRestore that the data comes from; empty if there is none."),
    ready: z.int32().describe("Number of healthy voters."),
    leader: z.string().describe("Name of the leader."),
    endpoint: z.string().describe("URL for clients."),
    version: z.string().describe("Lowest version that a member runs."),
  }),
  conditions: ["Available", "Progressing", "Degraded"],
  rules: [
    {
      rule: "self.metadata.name.matches('^[a-z][-a-z0-9]{0,49}$')",
      message: "must be a letter followed by at most 49 letters, digits and -, because names of Services and members are derived from it",
    },
    { rule: "self.spec.tls == oldSelf.spec.tls", message: "spec.tls is immutable: restore a backup into a new cluster instead" },
    { rule: "self.spec.storage == oldSelf.spec.storage", message: "spec.storage is immutable" },
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
export interface EtcdCluster extends ObjectOf<typeof EtcdCluster> {}

/** On a cluster without quorum: continue with the data of this member only, and discard what only the others have. */
export const RECOVER_FROM = "etcd.pintle.dev/recover-from";
