import * as z from "zod";
import { Pod } from "../../kinds/generated/core/v1.ts";
import { defineUntypedKind } from "../../kinds/index.ts";
import { defineResource } from "../../resource/index.ts";
import { webhook } from "../index.ts";

const Thing = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Thing",
  spec: z.object({ size: z.int().default(1), parts: z.array(z.string()).optional() }),
});

webhook(Thing, {
  default(object, { operation }) {
    object.spec.size += 1;
    object.spec.parts?.push("x");
    object.metadata.labels = { a: "b" };
    // @ts-expect-error: no such field
    object.spec.sise = 1;
    // @ts-expect-error: only created or updated
    if (operation === "DELETE") return;
  },
  validate({ operation, object, old }) {
    const n: number = object.spec.size;
    if (operation === "UPDATE") return n < old.spec.size ? [{ field: "spec.size", message: "grows only" }] : [];
    // @ts-expect-error: old is undefined on create
    old.spec;
    return [{ field: "spec.parts[0]", message: "m" }];
  },
});

webhook(Thing, {
  // @ts-expect-error: the first two names of a path are checked
  validate: () => [{ field: "spec.sise", message: "m" }],
});
webhook(Thing, {
  // @ts-expect-error: neither errors nor warnings
  validate: () => ({ error: [] }),
});

webhook(Thing, {
  operations: ["DELETE"],
  validate({ object, old }) {
    const absent: undefined = object;
    return { warnings: [String(absent), old.metadata.name] };
  },
});
webhook(Thing, {
  operations: ["CREATE", "DELETE"],
  validate({ operation, object, old }) {
    return operation === "CREATE" ? { warnings: [object.metadata.name] } : { warnings: [old.metadata.name] };
  },
});
// @ts-expect-error: not an operation
webhook(Thing, { operations: ["PATCH"], validate: () => [] });
// @ts-expect-error: not a failure policy
webhook(Thing, { failurePolicy: "Maybe", validate: () => [] });

webhook(Pod, {
  default(pod) {
    for (const container of pod.spec.containers) container.imagePullPolicy = "Always";
  },
  validate: async ({ object }) => (object.spec.hostNetwork ? [{ field: "spec.hostNetwork", message: "no" }] : []),
});

// Requests to subresources other than status contain objects of other kinds.
webhook(Pod, {
  subresources: ["eviction"],
  validate({ object }) {
    // @ts-expect-error: it may be an Eviction
    object.spec.containers;
    return { warnings: [object.kind] };
  },
});
webhook(Pod, { subresources: ["status"], validate: ({ object }) => ({ warnings: [object.spec.containers[0]!.name] }) });

const Foreign = defineUntypedKind({ group: "g.example.com", version: "v1", kind: "F", plural: "fs", scope: "Cluster" });
webhook(Foreign, { validate: ({ object }) => [{ field: "anything.at[0].all", message: String(object["anything"]) }] });
