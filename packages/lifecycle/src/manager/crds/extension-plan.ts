import type { JsonObject } from "pintle/internal/json";
import { POLICY_GROUP } from "../api/names.ts";
import { atomicList, buildOwnDefinition, integer, OBJECT_FIELDS, object, oneOf, type StructuralSchema, text } from "./schema.ts";

/** The CRD of ExtensionPlan. */
export function buildExtensionPlanDefinition(): JsonObject {
  return buildOwnDefinition({
    kind: "ExtensionPlan",
    group: POLICY_GROUP,
    version: "v1alpha1",
    scope: "Cluster",
    shortNames: ["extplan"],
    columns: [
      { name: "Extension", type: "string", jsonPath: ".spec.extension" },
      { name: "From", type: "string", jsonPath: ".spec.from.version" },
      { name: "To", type: "string", jsonPath: ".spec.to.version" },
      { name: "Digest", type: "string", jsonPath: ".spec.digest" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
    schema: object(
      { ...OBJECT_FIELDS, spec: SPEC, status: STATUS },
      {
        required: ["spec"],
        description: "What a new revision of an extension would do. The manager writes it, and replaces what others write.",
      },
    ),
  });
}

/** Lists are cut so that a plan stays an object that the API server stores. */
export const MAX_PLANNED = 500;
const LISTED = { keywords: { maxItems: MAX_PLANNED } };

const BUNDLE_FIELDS = { image: text(), name: text(), revision: integer({ keywords: { format: "int64" } }), version: text() };
const bundle = (description: string): StructuralSchema => object(BUNDLE_FIELDS, { required: ["name", "version"], description });

const OBJECT_REF = { apiVersion: text(), fields: atomicList(text()), kind: text(), name: text(), namespace: text() };
const objects = (description: string): StructuralSchema =>
  atomicList(object(OBJECT_REF, { required: ["apiVersion", "kind", "name"] }), { description, ...LISTED });
const rights = (description: string): StructuralSchema =>
  atomicList(object({ name: text(), namespace: text(), resource: text(), verb: text() }, { required: ["resource", "verb"] }), {
    description,
    ...LISTED,
  });

const SPEC = object(
  {
    digest: text({ description: "What is approved.", keywords: { maxLength: 71 } }),
    extension: text({ description: "The name of the ClusterExtension." }),
    from: bundle("What is installed."),
    to: bundle("What would be installed."),
  },
  { required: ["digest", "extension", "to"], description: "What the plan is for." },
);

const STATUS = object(
  {
    change: objects("Objects that would be changed, with the fields."),
    computedAt: text({ description: "When the plan was computed.", keywords: { format: "date-time" } }),
    computedFrom: atomicList(object({ object: text(), resourceVersion: text() }, { required: ["object", "resourceVersion"] }), {
      description: "The revisions of what the plan was computed from.",
      ...LISTED,
    }),
    create: objects("Objects that would be created."),
    definitions: atomicList(
      object({ message: text(), name: text(), severity: oneOf(["Breaking", "Warning"]) }, { required: ["message", "name", "severity"] }),
      { description: "Changes of CRDs that objects or clients could notice.", ...LISTED },
    ),
    images: atomicList(
      object(
        { image: text(), message: text(), signature: oneOf(["Signed", "Unsigned", "Unchecked"]) },
        { required: ["image", "signature"] },
      ),
      { description: "Images that would be used, with the state of their signatures.", ...LISTED },
    ),
    refused: atomicList(object({ ...OBJECT_REF, message: text() }, { required: ["apiVersion", "kind", "message", "name"] }), {
      description: "Stored objects that the new CRDs would refuse.",
      ...LISTED,
    }),
    remove: objects("Objects that would be removed."),
    restarts: objects("Workloads whose pods would be replaced."),
    rightsAdded: rights("Rights that the operator would get."),
    rightsRemoved: rights("Rights that the operator would lose."),
  },
  { description: "What would be done." },
);
