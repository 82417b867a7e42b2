import type * as z from "zod";
import type { DeepReadonly, Scope } from "../kinds/index.ts";
import type { PrinterColumn, ValidationRule } from "./custom-resource-definition.ts";
import type { Body } from "./resource.ts";

/** What is said once per version. */
export interface VersionOptions<SpecKey extends string = string, StatusKey extends string = string> {
  /** What `kubectl explain` says about the kind. */
  readonly description?: string | undefined;
  /** What `kubectl get` shows besides the name. */
  readonly columns?: readonly Column<SpecKey, StatusKey>[] | undefined;
  /** Makes `kubectl scale` and autoscalers work. */
  readonly scale?: Scale<SpecKey, StatusKey> | undefined;
  /** Fields usable in field selectors: at most eight strings, integers or booleans. */
  readonly selectable?: readonly Path<SpecKey, StatusKey>[] | undefined;
  /** CEL rules on the whole object: `self.metadata.name`, `self.spec`, `self.status`. */
  readonly rules?: readonly ValidationRule[] | undefined;
  /** Clients are warned; a text replaces the server's own. */
  readonly deprecated?: boolean | string | undefined;
  /** `false`: known to the server for the sake of stored objects, but not offered. Default `true`. */
  readonly served?: boolean | undefined;
}

/** One column of `kubectl get`. The type is taken from the schema unless given. */
export interface Column<SpecKey extends string = string, StatusKey extends string = string> {
  readonly name: string;
  readonly path: Path<SpecKey, StatusKey>;
  readonly type?: PrinterColumn["type"] | undefined;
  readonly format?: "int32" | "int64" | "float" | "double" | "byte" | "date" | "date-time" | "password" | undefined;
  readonly description?: string | undefined;
  /** Above 0: shown only by `kubectl get -o wide`. */
  readonly priority?: number | undefined;
}

/** Where the scale subresource finds its numbers. */
export interface Scale<SpecKey extends string = string, StatusKey extends string = string> {
  readonly spec: Under<"spec", SpecKey>;
  readonly status: Under<"status", StatusKey>;
  /** A string field holding a label selector, for the HorizontalPodAutoscaler. */
  readonly selector?: Under<"spec", SpecKey> | Under<"status", StatusKey> | undefined;
}

/** A JSONPath whose first field is checked by the compiler, and the whole of it when the resource is defined. */
export type Path<SpecKey extends string = string, StatusKey extends string = string> =
  | Under<"spec", SpecKey>
  | Under<"status", StatusKey | "conditions" | "observedGeneration">
  | `.metadata.${string}`;
type Under<Root extends string, Key extends string> = `.${Root}.${Key}${"" | `.${string}` | `[${string}`}`;

type KeyOf<S extends z.ZodObject> = [S] extends [never] ? never : Extract<keyof S["shape"], string>;

export interface Definition<
  G extends string,
  V extends string,
  K extends string,
  S extends z.ZodObject,
  T extends z.ZodObject,
  C extends string,
  Sc extends Scope,
> extends VersionOptions<KeyOf<S>, KeyOf<T>> {
  readonly group: G;
  readonly version: V;
  readonly kind: K;
  readonly scope?: Sc | undefined;
  /** Default: the kind in lower case, in the English plural. */
  readonly plural?: string | undefined;
  readonly singular?: string | undefined;
  readonly listKind?: string | undefined;
  readonly shortNames?: readonly string[] | undefined;
  /** `["all"]` makes it part of `kubectl get all`. */
  readonly categories?: readonly string[] | undefined;
  /** Labels and annotations of the CustomResourceDefinition itself. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly spec: S;
  readonly status?: T | undefined;
  /** The condition types the controller reports; brings `status.conditions` and `status.observedGeneration`. */
  readonly conditions?: readonly C[] | undefined;
}

/** Another version with its own schema, and the way to the hub (the version of `defineResource`) and back. */
export interface Older<V extends string, S extends z.ZodObject, T extends z.ZodObject, Spec, Input, Status>
  extends VersionOptions<KeyOf<S>, KeyOf<T>> {
  readonly version: V;
  readonly spec: S;
  readonly status?: T | undefined;
  /** Objects are stored in this version instead of the hub's: for the release before the one that moves over. */
  readonly stored?: boolean | undefined;
  /** Gets what is read in this version, defaults filled in; returns what one would write in the hub's. */
  toHub(older: Body<DeepReadonly<z.output<S>>, DeepReadonly<z.output<T>>>): Body<Input, NoInfer<Status>>;
  /** The way back. */
  fromHub(hub: Body<Spec, Status>): Body<DeepReadonly<z.input<NoInfer<S>>>, DeepReadonly<z.output<NoInfer<T>>>>;
}

/** Another version that looks exactly like the hub. */
export interface Unchanged<V extends string> {
  readonly version: V;
  readonly stored?: boolean | undefined;
  readonly deprecated?: boolean | string | undefined;
  readonly served?: boolean | undefined;
}
