import { defineResource, denyAdmission, webhook, z } from "pintle";
import { Pod } from "pintle/kinds/core/v1";

const GROUP = "webhooks.example.com";

/** The first release. */
export const WidgetV1 = defineResource({
  group: GROUP,
  version: "v1",
  kind: "Widget",
  spec: z.object({ size: z.string().default("1"), image: z.string() }),
  status: z.object({ ready: z.string() }),
});

/** The current release: objects of the first release are still stored in v1. */
export const Widget = defineResource({
  group: GROUP,
  version: "v3",
  kind: "Widget",
  spec: z.object({
    replicas: z.int32().default(1),
    image: z.object({ name: z.string(), tag: z.string().optional() }),
    tier: z.string().optional(),
  }),
  status: z.object({ ready: z.int32() }),
})
  .older({
    version: "v2",
    spec: z.object({ size: z.int32().default(1), image: z.string(), tier: z.string().optional() }),
    status: z.object({ ready: z.int32() }),
    toHub: ({ spec: { size, image, tier }, status }) => ({ spec: { replicas: size, image: splitImage(image), tier }, status }),
    fromHub: ({ spec: { replicas, image, tier }, status }) => ({ spec: { size: replicas, image: joinImage(image), tier }, status }),
  })
  .older({
    version: "v1",
    spec: z.object({ size: z.string().default("1"), image: z.string() }),
    status: z.object({ ready: z.string() }),
    toHub: ({ spec: { size, image }, status }) => ({
      spec: { replicas: Number(size), image: splitImage(image) },
      status: status?.ready === undefined ? undefined : { ready: Number(status.ready) },
    }),
    fromHub: ({ spec: { replicas, image }, status }) => ({
      spec: { size: String(replicas), image: joinImage(image) },
      status: status?.ready === undefined ? undefined : { ready: String(status.ready) },
    }),
  });

function splitImage(image: string) {
  const [name = "", tag] = image.split(":");
  return { name, tag };
}
const joinImage = ({ name, tag }: { readonly name: string; readonly tag?: string | undefined }) =>
  tag === undefined ? name : `${name}:${tag}`;

export const widgetWebhook = webhook(Widget, {
  operations: ["CREATE", "UPDATE", "DELETE"],
  subresources: ["status"],
  default(object, { user }) {
    object.spec.image.tag ??= "stable";
    object.metadata.annotations = { ...object.metadata.annotations, "example.com/last-seen-user": user.username };
  },
  validate({ operation, object, old, subresource, dryRun }) {
    if (operation === "DELETE") {
      if (old.metadata.labels?.["keep"] === "true") throw denyAdmission(`${old.metadata.name} is to be kept`);
      return;
    }
    if (subresource === "status") {
      if ((object.status?.ready ?? 0) > object.spec.replicas)
        return [{ field: "status.ready", message: "more are ready than there are", value: object.status?.ready }];
      return;
    }
    if (object.spec.replicas > 9) return [{ field: "spec.replicas", message: "must be at most 9" }];
    if (operation === "UPDATE" && object.spec.replicas < old.spec.replicas - 1)
      return [
        { field: "spec.replicas", message: "may shrink by one at a time" },
        { field: "metadata.name", reason: "Forbidden", message: "is checked, too" },
      ];
    if (object.metadata.labels?.["boom"] !== undefined) throw new Error("kaboom");
    const warnings = [...(object.spec.image.tag === "latest" ? ["the tag latest moves"] : []), ...(dryRun ? ["only a dry run"] : [])];
    return { warnings };
  },
});

/** A webhook of a built-in kind. */
export const podWebhook = webhook(Pod, {
  default(pod) {
    pod.metadata.labels = { ...pod.metadata.labels, "example.com/seen": "true" };
    for (const container of pod.spec.containers) container.imagePullPolicy = "IfNotPresent";
  },
  validate({ object }) {
    return object.spec.hostNetwork === true ? [{ field: "spec.hostNetwork", reason: "Forbidden", message: "pods stay off the host" }] : [];
  },
});
