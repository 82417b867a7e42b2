/** The keywords of OpenAPI v3 and structural schemas that the generator reads. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema;
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Named schemas, as in `components.schemas`. */
export type Definitions = Readonly<Record<string, OpenApiSchema>>;

const PREFIX = "#/components/schemas/";

/** Returns the definition that a schema refers to, directly or inside `allOf`, which OpenAPI needs beside a default. */
export function referencedDefinition(schema: OpenApiSchema): string | undefined {
  const ref = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
  return ref?.startsWith(PREFIX) ? ref.slice(PREFIX.length) : undefined;
}

/** Returns the `$ref` of a definition. */
export function definitionRef(definition: string): string {
  return PREFIX + definition;
}

/** Whether the API server writes a struct even when it is empty (`default: {}`). */
export function isAlwaysWritten(schema: OpenApiSchema): boolean {
  const value = schema.default;
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

/** Compares two strings by code units, for sorting. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
