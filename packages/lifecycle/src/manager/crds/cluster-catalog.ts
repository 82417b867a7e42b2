import type { JsonObject } from "pintle/internal/json";
import { buildDefinition, conditions, type DefinitionSet, integer, OBJECT_FIELDS, object, oneOf, text } from "./schema.ts";
import { CANONICAL_IMAGE_RULES, IMAGE_RULES, unionRule } from "./text-rules.ts";

const IMAGE_UNION = unionRule("image", "source type", "Image", "has(self.type) && self.type == 'Image' ? ");

/** The CRD of ClusterCatalog. */
export function buildClusterCatalogDefinition(set: DefinitionSet): JsonObject {
  return buildDefinition({
    kind: "ClusterCatalog",
    set,
    columns: [
      { name: "LastUnpacked", type: "date", jsonPath: ".status.lastUnpacked" },
      { name: "Serving", type: "string", jsonPath: `.status.conditions[?(@.type=="Serving")].status` },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
    schema: object(
      { ...OBJECT_FIELDS, spec: SPEC, status: STATUS },
      { required: ["metadata", "spec"], description: "A file-based catalog whose bundles extensions can install." },
    ),
  });
}

const SPEC = object(
  {
    availabilityMode: oneOf(["Unavailable", "Available"], {
      description: "Unavailable takes the catalog out of service: its content is removed, and extensions ignore it.",
      keywords: { default: "Available" },
    }),
    priority: integer({
      description: "Of bundles that several catalogs offer, that of the highest priority is installed.",
      keywords: { default: 0, format: "int32", minimum: -2147483648, maximum: 2147483647 },
    }),
    source: object(
      {
        image: object(
          {
            pollIntervalMinutes: integer({
              description: "How often the tag is resolved again. Default: never.",
              keywords: { minimum: 1 },
            }),
            ref: text({ description: "The image, with a tag or a digest.", keywords: { maxLength: 1000 }, rules: IMAGE_RULES }),
          },
          {
            required: ["ref"],
            description: "The image that contains the catalog.",
            rules: [
              {
                rule: `self.ref.find('(@.*:)') != "" ? !has(self.pollIntervalMinutes) : true`,
                message: "cannot specify pollIntervalMinutes while using digest-based image",
              },
            ],
          },
        ),
        type: oneOf(["Image"], { description: "The kind of source." }),
      },
      { required: ["type"], description: "Where the catalog comes from.", rules: [IMAGE_UNION] },
    ),
  },
  { required: ["source"], description: "The desired state." },
);

const STATUS = object(
  {
    conditions: conditions("Serving: whether the content can be read. Progressing: whether it is what the source has."),
    lastUnpacked: text({ description: "When the content was unpacked last.", keywords: { format: "date-time" } }),
    resolvedSource: object(
      {
        image: object(
          { ref: text({ description: "The image with its digest.", keywords: { maxLength: 1000 }, rules: CANONICAL_IMAGE_RULES }) },
          { required: ["ref"], description: "The image of the content." },
        ),
        type: oneOf(["Image"], { description: "The kind of source." }),
      },
      { required: ["image", "type"], description: "What the source was resolved to.", rules: [IMAGE_UNION] },
    ),
    urls: object(
      {
        base: text({
          description: "The URL below which the content is served.",
          keywords: { maxLength: 525 },
          rules: [
            { rule: "isURL(self)", message: "must be a valid URL" },
            {
              rule: `isURL(self) ? (url(self).getScheme() == "http" || url(self).getScheme() == "https") : true`,
              message: "scheme must be either http or https",
            },
          ],
        }),
      },
      { required: ["base"], description: "Where the content is served." },
    ),
  },
  { description: "The observed state." },
);
