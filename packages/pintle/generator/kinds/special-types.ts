/**
 * The type and shape of a definition that OpenAPI describes too loosely. `shared` types are hand-written in `kinds`, because other folders
 * use them too.
 */
export interface SpecialType {
  readonly type: string;
  readonly shared: boolean;
  /** An expression of the shape table. Default: derived from the schema of the definition. */
  readonly shape?: string;
}

const META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const CRD = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";

const SPECIAL_TYPES: Readonly<Record<string, SpecialType>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { type: "Quantity", shared: true, shape: "q" },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": { type: "IntOrString", shared: true, shape: "i" },
  "io.k8s.apimachinery.pkg.runtime.RawExtension": { type: "unknown", shared: false, shape: "*" },
  [`${META}Time`]: { type: "Time", shared: true, shape: "t" },
  [`${META}MicroTime`]: { type: "MicroTime", shared: true, shape: "m" },
  [`${META}FieldsV1`]: { type: "unknown", shared: false, shape: "{?}" },
  [`${META}ObjectMeta`]: { type: "TemplateMetadata", shared: true },
  [`${META}Condition`]: { type: "Condition", shared: true },
  [`${META}LabelSelector`]: { type: "LabelSelector", shared: true },
  [`${META}LabelSelectorRequirement`]: { type: "LabelSelectorRequirement", shared: true },
  [`${META}FieldSelectorRequirement`]: { type: "FieldSelectorRequirement", shared: true },
  [`${META}DeleteOptions`]: { type: "DeleteOptions", shared: true },
  [`${META}OwnerReference`]: { type: "OwnerReference", shared: true },
  [`${META}ManagedFieldsEntry`]: { type: "ManagedFieldsEntry", shared: true },
  [`${META}Preconditions`]: { type: "Preconditions", shared: true },
  [`${CRD}JSON`]: { type: "unknown", shared: false, shape: "?" },
  [`${CRD}JSONSchemaPropsOrArray`]: { type: "JSONSchemaProps | readonly JSONSchemaProps[]", shared: false, shape: "?" },
  [`${CRD}JSONSchemaPropsOrBool`]: { type: "JSONSchemaProps | boolean", shared: false, shape: "?" },
  [`${CRD}JSONSchemaPropsOrStringArray`]: { type: "JSONSchemaProps | readonly string[]", shared: false, shape: "?" },
};

/** Returns the special type of a definition; undefined for ordinary ones. Throws for an unknown type of meta/v1. */
export function specialType(definition: string): SpecialType | undefined {
  const found = SPECIAL_TYPES[definition];
  if (found === undefined && definition.startsWith(META)) {
    throw new Error(
      `${definition} is used by a built-in kind: write its type in kinds/meta.ts and list it in generator/kinds/special-types.ts`,
    );
  }
  return found;
}
