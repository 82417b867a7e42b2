import type { Json } from "../kinds/index.ts";

/** One CEL rule of `x-kubernetes-validations`. */
export type ValidationRule = {
  /** The CEL expression, with `self` and `oldSelf`. */
  readonly rule: string;
  /** The message when the rule fails, one line. Default: the API server shows the expression. */
  readonly message?: string;
  /** A CEL expression for the message. Default: none. */
  readonly messageExpression?: string;
  /** The machine-readable reason of the failure. Default: "FieldValueInvalid". */
  readonly reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  /** The field that the failure is reported on, relative to this one. Default: this field. */
  readonly fieldPath?: string;
  /** Whether a rule with `oldSelf` also runs on create. Default: `false`. */
  readonly optionalOldSelf?: boolean;
};

/** The keywords allowed inside `allOf`, `anyOf`, `oneOf` and `not`: they validate values and do not define structure. */
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

/** A structural schema: the part of OpenAPI v3 that the API server accepts in a CustomResourceDefinition. */
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

/** One entry of `additionalPrinterColumns`. */
export type CrdPrinterColumn = {
  readonly name: string;
  readonly jsonPath: string;
  readonly type: "integer" | "number" | "string" | "boolean" | "date";
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
};

/** One entry of `spec.versions`. */
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
  readonly additionalPrinterColumns?: readonly CrdPrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
};

/** `spec.conversion`. */
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

/** A CustomResourceDefinition of `apiextensions.k8s.io/v1` as plain JSON, ready to be written to a file or applied. */
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
