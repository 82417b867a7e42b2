/** The part of OpenAPI v3 and of structural schemas that the generator reads. */
export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
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
export type Definitions = Readonly<Record<string, Schema>>;

const PREFIX = "#/components/schemas/";

/** The definition a schema stands for, written plainly or, to carry a default, inside `allOf`. */
export function referenced(schema: Schema): string | undefined {
  const ref = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
  return ref?.startsWith(PREFIX) ? ref.slice(PREFIX.length) : undefined;
}

export function reference(definition: string): string {
  return PREFIX + definition;
}

/** `default: {}`: a struct the server writes even when it is empty. */
export function alwaysWritten(schema: Schema): boolean {
  const value = schema.default;
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
