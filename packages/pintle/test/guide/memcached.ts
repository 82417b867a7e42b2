/** The code of docs/webhooks.md. */
import { celRule, controller, defineResource, denyAdmission, immutable, quantity, run, webhook, z } from "../../src/index.ts";

const spec = z.object({
  size: z.int().min(1).max(9).default(1),
  image: immutable(z.string()),
  memory: celRule(quantity(), "quantity(self).isGreaterThan(quantity('63Mi'))", { message: "at least 64Mi" }).optional(),
});

export const Memcached = defineResource({ group: "cache.example.com", version: "v1", kind: "Memcached", spec }).older({
  version: "v1alpha1",
  spec: z.object({ replicas: z.int().default(1), image: z.string() }),
  toHub: ({ spec: { replicas, image } }) => ({ spec: { size: replicas, image } }),
  fromHub: ({ spec: { size, image } }) => ({ spec: { replicas: size, image } }),
});

export const memcachedWebhook = webhook(Memcached, {
  operations: ["CREATE", "UPDATE", "DELETE"],
  default(object, { user }) {
    object.metadata.annotations = { ...object.metadata.annotations, "example.com/changed-by": user.username };
  },
  validate({ operation, object, old, dryRun }) {
    if (operation === "DELETE") {
      if (old.metadata.labels?.["keep"] === "true") throw denyAdmission(`${old.metadata.name} is to be kept`);
      return [];
    }
    if (operation === "UPDATE" && object.spec.size < old.spec.size - 1)
      return [{ field: "spec.size", message: "may shrink by one at a time" }];
    return { warnings: dryRun ? ["only a dry run"] : [] };
  },
});

const memcached = controller(Memcached, { reconcile() {} });

export async function main(): Promise<void> {
  await run({ controllers: [memcached], webhooks: [memcachedWebhook] });
}
