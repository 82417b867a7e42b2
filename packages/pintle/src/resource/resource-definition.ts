import type * as z from "zod";
import type { DeepReadonly, Scope } from "../kinds/index.ts";
import type { CrdPrinterColumn, ValidationRule } from "./custom-resource-definition.ts";
import type { SpecAndStatus } from "./resource.ts";

/** The options of one version of a custom resource. */
export interface CrdVersionOptions<SpecKey extends string = string, StatusKey extends string = string> {
  /** The description of the kind in `kubectl explain`. Default: none. */
  readonly description?: string | undefined;
  /** The columns of `kubectl get` besides the name. Default: the API server's, which is the age. */
  readonly columns?: readonly PrinterColumn<SpecKey, StatusKey>[] | undefined;
  /** Enables the scale subresource, which `kubectl scale` and autoscalers use. Default: none. */
  readonly scale?: ScaleSubresource<SpecKey, StatusKey> | undefined;
  /** Fields that field selectors may use: at most eight strings, integers or booleans. Default: none. */
  readonly selectable?: readonly FieldJsonPath<SpecKey, StatusKey>[] | undefined;
  /** CEL rules on the whole object, with `self.metadata.name`, `self.spec` and `self.status`. Default: none. */
  readonly rules?: readonly ValidationRule[] | undefined;
  /** Whether the API server warns clients that use this version; a string replaces its warning. Default: `false`. */
  readonly deprecated?: boolean | string | undefined;
  /** Whether the API server serves this version. An unserved version can still be the version of stored objects. Default: `true`. */
  readonly served?: boolean | undefined;
}

/** One column of `kubectl get`. */
export interface PrinterColumn<SpecKey extends string = string, StatusKey extends string = string> {
  /** The header of the column. */
  readonly name: string;
  /** The JSONPath of the field that is shown. */
  readonly path: FieldJsonPath<SpecKey, StatusKey>;
  /** The type of the column. Default: the type of the field in the schema. */
  readonly type?: CrdPrinterColumn["type"] | undefined;
  /** The OpenAPI format of the column. Default: none. */
  readonly format?: "int32" | "int64" | "float" | "double" | "byte" | "date" | "date-time" | "password" | undefined;
  /** The description of the column. Default: none. */
  readonly description?: string | undefined;
  /** A column with a priority above 0 is shown only by `kubectl get -o wide`. Default: 0. */
  readonly priority?: number | undefined;
}

/** The fields that the scale subresource reads and writes. */
export interface ScaleSubresource<SpecKey extends string = string, StatusKey extends string = string> {
  /** The JSONPath of the desired number of replicas, an integer. */
  readonly spec: JsonPathUnder<"spec", SpecKey>;
  /** The JSONPath of the current number of replicas, an integer. */
  readonly status: JsonPathUnder<"status", StatusKey>;
  /** The JSONPath of a string with the label selector of the pods, which the HorizontalPodAutoscaler needs. Default: none. */
  readonly selector?: JsonPathUnder<"spec", SpecKey> | JsonPathUnder<"status", StatusKey> | undefined;
}

/** A JSONPath into an object. The compiler checks its first field; `defineResource` checks all of it. */
export type FieldJsonPath<SpecKey extends string = string, StatusKey extends string = string> =
  | JsonPathUnder<"spec", SpecKey>
  | JsonPathUnder<"status", StatusKey | "conditions" | "observedGeneration">
  | `.metadata.${string}`;
type JsonPathUnder<Root extends string, Key extends string> = `.${Root}.${Key}${"" | `.${string}` | `[${string}`}`;

type FieldNameOf<S extends z.ZodObject> = [S] extends [never] ? never : Extract<keyof S["shape"], string>;

/** The argument of `defineResource`. */
export interface ResourceDefinition<
  G extends string,
  V extends string,
  K extends string,
  S extends z.ZodObject,
  T extends z.ZodObject,
  C extends string,
  Sc extends Scope,
> extends CrdVersionOptions<FieldNameOf<S>, FieldNameOf<T>> {
  /** The API group, a domain: "cache.example.com". */
  readonly group: G;
  /** The version of the schema below. It is the hub that all other versions convert through. */
  readonly version: V;
  /** The kind in CamelCase: "Memcached". */
  readonly kind: K;
  /** Whether objects belong to a namespace or to the cluster. Default: "Namespaced". */
  readonly scope?: Sc | undefined;
  /** The plural name in URLs and for kubectl. Default: the English plural of the kind, in lower case. */
  readonly plural?: string | undefined;
  /** The singular name for kubectl. Default: the kind in lower case. */
  readonly singular?: string | undefined;
  /** The kind of lists. Default: the kind followed by "List". */
  readonly listKind?: string | undefined;
  /** Abbreviations for kubectl: `["mc"]`. Default: none. */
  readonly shortNames?: readonly string[] | undefined;
  /** Groups of resources for kubectl: with `["all"]`, `kubectl get all` lists it. Default: none. */
  readonly categories?: readonly string[] | undefined;
  /** Labels of the CustomResourceDefinition. Default: none. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Annotations of the CustomResourceDefinition. Default: none. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** The schema of `spec`. */
  readonly spec: S;
  /** The schema of `status`; the required fields at its top level become optional. Default: no status, unless there are conditions. */
  readonly status?: T | undefined;
  /** The condition types that the controller reports; adds `status.conditions` and `status.observedGeneration`. Default: none. */
  readonly conditions?: readonly C[] | undefined;
}

/** Another version with its own schema, and the conversion to the hub (the version of `defineResource`) and back. */
export interface OlderVersion<V extends string, S extends z.ZodObject, T extends z.ZodObject, Spec, Input, Status>
  extends CrdVersionOptions<FieldNameOf<S>, FieldNameOf<T>> {
  /** The name of the version: "v1alpha1". */
  readonly version: V;
  /** The schema of `spec` in this version. */
  readonly spec: S;
  /** The schema of `status` in this version. Default: no status, unless there are conditions. */
  readonly status?: T | undefined;
  /** Whether this is the storage version instead of the hub, as needed in the release before a migration. Default: `false`. */
  readonly stored?: boolean | undefined;
  /** Converts an object of this version, with defaults applied, to the hub; fields with a default may be omitted in the result. */
  toHub(older: SpecAndStatus<DeepReadonly<z.output<S>>, DeepReadonly<z.output<T>>>): SpecAndStatus<Input, NoInfer<Status>>;
  /** Converts an object of the hub, with defaults applied, to this version. */
  fromHub(hub: SpecAndStatus<Spec, Status>): SpecAndStatus<DeepReadonly<z.input<NoInfer<S>>>, DeepReadonly<z.output<NoInfer<T>>>>;
}

/** Another version with the schema of the hub. */
export interface UnchangedVersion<V extends string> {
  /** The name of the version: "v1beta1". */
  readonly version: V;
  /** Whether this is the storage version instead of the hub. Default: `false`. */
  readonly stored?: boolean | undefined;
  /** Whether the API server warns clients that use this version; a string replaces its warning. Default: `false`. */
  readonly deprecated?: boolean | string | undefined;
  /** Whether the API server serves this version. Default: `true`. */
  readonly served?: boolean | undefined;
}
