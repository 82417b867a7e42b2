import type * as z from "zod";
import type {
  Condition,
  DeepReadonly,
  DesiredMetadata,
  DesiredNamespacedMetadata,
  JsonObject,
  Kind,
  Metadata,
  NamespacedMetadata,
  Scope,
} from "../kinds/index.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";
import type { Older, Unchanged } from "./definition.ts";

/** A custom object as read: defaults are in, everything is frozen. */
export interface CustomObject<Spec, Status, Conditions extends string = never, S extends Scope = "Namespaced"> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: S extends "Namespaced" ? NamespacedMetadata : Metadata;
  readonly spec: Spec;
  /** Absent before the first reconcile; single fields may be absent in objects last written by an older operator. */
  readonly status?: StatusOf<Status, Conditions> | undefined;
}
type StatusOf<Status, Conditions extends string> = [Conditions] extends [never]
  ? Loose<Status>
  : [Status] extends [never]
    ? Reported
    : Loose<Status> & Reported;
interface Reported {
  readonly conditions?: readonly Condition[] | undefined;
  readonly observedGeneration?: number | undefined;
}
type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** A custom object as written. */
export interface CustomDesired<Input, S extends Scope = "Namespaced"> {
  readonly metadata: S extends "Namespaced" ? DesiredNamespacedMetadata : DesiredMetadata;
  readonly spec: Input;
}

/** What a conversion sees and returns: metadata, conditions and observedGeneration travel by themselves. */
export interface Body<Spec, Status> {
  readonly spec: Spec;
  readonly status?: Loose<Status> | undefined;
}

/** Our own kind, with everything that follows from its schema. No Zod type is part of it. */
export interface Resource<Id extends string, Spec, Input, Status, Conditions extends string, S extends Scope = "Namespaced">
  extends Kind<Id, CustomObject<Spec, Status, Conditions, S>, CustomDesired<Input, S>, S> {
  readonly "~": { readonly read: CustomObject<Spec, Status, Conditions, S>; readonly status: Status; readonly conditions: Conditions };
  readonly conditions: readonly Conditions[];
  /** `<group>_<plural>.yaml`. */
  readonly crdFileName: string;
  /**
   * The complete CustomResourceDefinition, the same for every call. With versions that need converting it names the
   * conversion webhook: the one given, else the service `webhook-service` in `system`, to be replaced on deployment.
   */
  crd(options?: { readonly conversion?: WebhookClient | undefined }): CustomResourceDefinition;
  /** An object of any known version, in another one, through the hub; metadata and conditions are kept as they are. */
  convert(object: JsonObject, version: string): JsonObject;
  /** The same resource with one more version, found under `at`. */
  older<const V extends string, S2 extends z.ZodObject, T2 extends z.ZodObject = never>(
    version: Older<V, S2, T2, Spec, Input, Status>,
  ): this & { readonly at: At<Id, V, DeepReadonly<z.output<S2>>, DeepReadonly<z.input<S2>>, DeepReadonly<z.output<T2>>, Conditions, S> };
  /** The same resource, also offered under another version with the same schema. */
  unchangedIn<const V extends string>(version: Unchanged<V>): this & { readonly at: At<Id, V, Spec, Input, Status, Conditions, S> };
}
/** Any resource, where only its facts matter. */
export type AnyResource = Resource<string, any, any, any, string, Scope>;

type At<Id extends string, V extends string, Spec, Input, Status, Conditions extends string, S extends Scope> = {
  readonly [K in V]: Kind<Swap<Id, V>, CustomObject<Spec, Status, Conditions, S>, CustomDesired<Input, S>, S>;
};
type Swap<Id extends string, V extends string> = Id extends `${infer G}/${string}/${infer K}` ? `${G}/${V}/${K}` : never;

/** Where the API server reaches a conversion webhook. */
export type WebhookClient =
  | {
      readonly service: {
        readonly name: string;
        readonly namespace: string;
        readonly path?: string | undefined;
        readonly port?: number | undefined;
      };
      /** PEM, base64-encoded, as in every webhook configuration. */
      readonly caBundle?: string | undefined;
    }
  | { readonly url: string; readonly caBundle?: string | undefined };
