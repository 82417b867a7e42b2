import { defineResource, type ObjectOf, z } from "pintle";

const amounts = z.record(z.string(), z.string().regex(/^[0-9]+(\.[0-9]+)?(m|k|[KMGTPE]i?)?$/));

/** Limits that any number of Tenants share. It has no controller of its own: the controller of Tenant watches it. */
export const Plan = defineResource({
  group: "tenancy.example.com",
  version: "v1",
  kind: "Plan",
  scope: "Cluster",
  spec: z.object({
    quota: amounts.describe("Hard limits of the ResourceQuota in each namespace, such as requests.cpu."),
    containerDefaults: amounts.optional().describe("Limits of containers that set none."),
    maxNamespaces: z.int32().min(1).max(50).default(5).describe("Number of namespaces a Tenant may have."),
    isolated: z.boolean().default(true).describe("Whether pods accept traffic only from their own Tenant."),
  }),
  columns: [{ name: "Namespaces", path: ".spec.maxNamespaces" }],
});
export interface Plan extends ObjectOf<typeof Plan> {}
