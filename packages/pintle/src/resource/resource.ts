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
import type { OlderVersion, UnchangedVersion } from "./resource-definition.ts";

/** A custom object as it is read: with defaults applied, and deeply frozen. */
export interface CustomObject<Spec, Status, Conditions extends string = never, S extends Scope = "Namespaced"> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: S extends "Namespaced" ? NamespacedMetadata : Metadata;
  readonly spec: Spec;
  /** Absent before the first reconcile. Each field may be absent in objects last written by an older operator. */
  readonly status?: DeclaredStatus<Status, Conditions> | undefined;
}
type DeclaredStatus<Status, Conditions extends string> = [Conditions] extends [never]
  ? PartialFields<Status>
  : [Status] extends [never]
    ? StandardStatus
    : PartialFields<Status> & StandardStatus;
interface StandardStatus {
  readonly conditions?: readonly Condition[] | undefined;
  readonly observedGeneration?: number | undefined;
}
type PartialFields<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** A custom object as it is written: fields with a default may be omitted. */
export interface DesiredCustomObject<Input, S extends Scope = "Namespaced"> {
  readonly metadata: S extends "Namespaced" ? DesiredNamespacedMetadata : DesiredMetadata;
  readonly spec: Input;
}

/** The argument and result of a conversion function. Metadata, conditions and observedGeneration are copied without it. */
export interface SpecAndStatus<Spec, Status> {
  readonly spec: Spec;
  readonly status?: PartialFields<Status> | undefined;
}

/** A custom resource made by `defineResource`: a kind, its CustomResourceDefinition and its conversions. Contains no Zod types. */
export interface Resource<Id extends string, Spec, Input, Status, Conditions extends string, S extends Scope = "Namespaced">
  extends Kind<Id, CustomObject<Spec, Status, Conditions, S>, DesiredCustomObject<Input, S>, S> {
  readonly "~": { readonly read: CustomObject<Spec, Status, Conditions, S>; readonly status: Status; readonly conditions: Conditions };
  /** The condition types of the definition. */
  readonly conditions: readonly Conditions[];
  /** The name of the file for `crdToYaml`: `<group>_<plural>.yaml`. */
  readonly crdFileName: string;
  /**
   * Returns the complete CustomResourceDefinition, equal for equal arguments. With versions that need conversion it names the conversion
   * webhook. Default: the Service `webhook-service` in the namespace `system`, which deployment replaces.
   */
  crd(options?: { readonly conversion?: WebhookClientConfig | undefined }): CustomResourceDefinition;
  /**
   * Converts an object of any version to another version through the hub; metadata and conditions are unchanged. Throws `PINTLE2005` for
   * an unknown version.
   */
  convert(object: JsonObject, version: string): JsonObject;
  /** Returns the resource with one more version, whose kind is in `at`. */
  older<const V extends string, S2 extends z.ZodObject, T2 extends z.ZodObject = never>(
    version: OlderVersion<V, S2, T2, Spec, Input, Status>,
  ): this & {
    readonly at: KindAtVersion<Id, V, DeepReadonly<z.output<S2>>, DeepReadonly<z.input<S2>>, DeepReadonly<z.output<T2>>, Conditions, S>;
  };
  /** Returns the resource with one more version that has the schema of the hub. */
  unchangedIn<const V extends string>(
    version: UnchangedVersion<V>,
  ): this & { readonly at: KindAtVersion<Id, V, Spec, Input, Status, Conditions, S> };
}
/** Any resource, without its types. */
export type AnyResource = Resource<string, any, any, any, string, Scope>;

type KindAtVersion<Id extends string, V extends string, Spec, Input, Status, Conditions extends string, S extends Scope> = {
  readonly [K in V]: Kind<ReplaceVersion<Id, V>, CustomObject<Spec, Status, Conditions, S>, DesiredCustomObject<Input, S>, S>;
};
type ReplaceVersion<Id extends string, V extends string> = Id extends `${infer G}/${string}/${infer K}` ? `${G}/${V}/${K}` : never;

/** How the API server connects to a conversion webhook: by Service or by URL. */
export type WebhookClientConfig =
  | {
      /** The Service of the webhook. Default path: "/", default port: 443. */
      readonly service: {
        readonly name: string;
        readonly namespace: string;
        readonly path?: string | undefined;
        readonly port?: number | undefined;
      };
      /** The PEM certificates of the certificate authority, base64-encoded. Default: none. */
      readonly caBundle?: string | undefined;
    }
  | {
      /** The https URL of the webhook. */
      readonly url: string;
      /** As above. Default: none. */
      readonly caBundle?: string | undefined;
    };
