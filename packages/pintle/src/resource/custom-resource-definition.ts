import type { Json } from "../kinds/index.ts";

/** One CEL rule of `x-kubernetes-validations`. */
export type ValidationRule = {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
};

/** What may be said inside allOf, anyOf, oneOf and not: values, never structure. */
export type ValueValidation = {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly enum?: readonly Json[];
  readonly required?: readonly string[];
  readonly properties?: { readonly [name: string]: ValueValidation };
  readonly allOf?: readonly ValueValidation[];
  readonly anyOf?: readonly ValueValidation[];
  readonly oneOf?: readonly ValueValidation[];
  readonly not?: ValueValidation;
};

/** The part of JSON Schema an API server takes in a CustomResourceDefinition. */
export type StructuralSchema = Omit<ValueValidation, "properties"> & {
  readonly title?: string;
  readonly description?: string;
  readonly example?: Json;
  readonly externalDocs?: { readonly url: string; readonly description?: string };
  readonly default?: Json;
  readonly nullable?: boolean;
  readonly properties?: { readonly [name: string]: StructuralSchema };
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
};

export type PrinterColumn = {
  readonly name: string;
  readonly jsonPath: string;
  readonly type: "integer" | "number" | "string" | "boolean" | "date";
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
};

export type CrdVersion = {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
  readonly subresources?: {
    readonly status?: Record<string, never>;
    readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string; readonly labelSelectorPath?: string };
  };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
};

export type CrdConversion =
  | { readonly strategy: "None" }
  | {
      readonly strategy: "Webhook";
      readonly webhook: {
        readonly clientConfig: {
          readonly url?: string;
          readonly service?: { readonly name: string; readonly namespace: string; readonly path?: string; readonly port?: number };
          readonly caBundle?: string;
        };
        readonly conversionReviewVersions: readonly string[];
      };
    };

/** `apiextensions.k8s.io/v1`, as plain JSON: write it to a file, apply it, compare it. */
export type CustomResourceDefinition = {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: {
    readonly name: string;
    readonly labels?: { readonly [key: string]: string };
    readonly annotations?: { readonly [key: string]: string };
  };
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
      readonly categories?: readonly string[];
    };
    readonly scope: "Namespaced" | "Cluster";
    readonly versions: readonly CrdVersion[];
    readonly conversion?: CrdConversion;
  };
};
