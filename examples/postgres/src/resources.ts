import { defineResource, immutable, type ObjectOf, terminal, z } from "pintle";

const group = "postgres.example.com";
const columns = [
  { name: "Ready", path: '.status.conditions[?(@.type=="Ready")].status' },
  { name: "Reason", path: '.status.conditions[?(@.type=="Ready")].reason' },
  { name: "Age", path: ".metadata.creationTimestamp" },
] as const;

export const User = defineResource({
  group,
  version: "v1",
  kind: "User",
  spec: z.object({
    connectionLimit: z.int32().min(-1).default(-1).describe("Number of connections at the same time; -1 is no limit."),
  }),
  status: z.object({
    role: z.string().describe("The role in PostgreSQL."),
    secret: z.string().describe("The Secret with PGUSER and PGPASSWORD."),
  }),
  conditions: ["Ready"],
  columns: [{ name: "Role", path: ".status.role" }, ...columns],
});
export interface User extends ObjectOf<typeof User> {}

export const Database = defineResource({
  group,
  version: "v1",
  kind: "Database",
  spec: z.object({
    owner: immutable(z.string().min(1).max(63)).describe("The User that owns the database, in the same namespace."),
    reclaimPolicy: z.enum(["Delete", "Retain"]).default("Delete").describe("Whether the database is dropped with this object."),
  }),
  status: z.object({
    database: z.string().describe("The database in PostgreSQL."),
    configMap: z.string().describe("The ConfigMap with PGHOST, PGPORT and PGDATABASE."),
  }),
  conditions: ["Ready"],
  columns: [{ name: "Database", path: ".status.database" }, { name: "Owner", path: ".spec.owner" }, ...columns],
});
export interface Database extends ObjectOf<typeof Database> {}

/** Returns the name in PostgreSQL of a role or database. Names of namespaces have no underscore, so two objects never have the same one. */
export const sqlName = (namespace: string, name: string): string => `${namespace}_${name}`;

/** Throws for a name that PostgreSQL would cut off. */
export function checkLength(name: string): void {
  if (name.length > 63) throw terminal(`${name} is longer than the 63 characters of a name in PostgreSQL: use a shorter name`);
}
