import type { Json, ObjectOf, UntypedObject } from "../../kinds/index.ts";

/** The operation of an admission request. */
export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** The user who sent the request, as authenticated by the API server. */
export interface UserInfo {
  /** The name of the user: "system:serviceaccount:default:app". */
  readonly username: string;
  /** The unique id of the user. Default: none. */
  readonly uid?: string | undefined;
  /** The groups of the user. */
  readonly groups: readonly string[];
  /** More attributes of the authenticator. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** The attributes of every admission request. */
export interface AdmissionAttributes {
  /** The uid of the request, not of the object; the same for every webhook that receives it. */
  readonly uid: string;
  /** The user who sent the request. */
  readonly user: UserInfo;
  /** Whether nothing will be stored. The webhook must not have side effects then. */
  readonly dryRun: boolean;
  /** The name of the object; "" if the API server generates it later. */
  readonly name: string;
  /** The namespace of the object; undefined for cluster-scoped objects. */
  readonly namespace: string | undefined;
  /** The subresource, such as "status"; undefined for the object itself. */
  readonly subresource: string | undefined;
  /** CreateOptions, UpdateOptions or DeleteOptions, as the client sent them. */
  readonly options: { readonly [field: string]: Json | undefined };
  /** Aborts when the API server no longer waits for the response. */
  readonly signal: AbortSignal;
}

/** Subresources whose requests contain the whole object. Others have kinds of their own: Scale, Eviction, PodExecOptions. */
type WholeObjectSubresource = "status" | "ephemeralcontainers" | "resize";
/** The type of the object in a request. */
export type AdmittedObject<K, S extends string> =
  | ObjectOf<K>
  | ([Exclude<S, WholeObjectSubresource>] extends [never] ? never : UntypedObject);

/** An admission request. `operation` determines whether `object` and `old` are defined. */
export type AdmissionRequest<T, O extends AdmissionOperation = AdmissionOperation> = O extends "CREATE"
  ? AdmissionAttributes & { readonly operation: "CREATE"; readonly object: T; readonly old: undefined }
  : O extends "UPDATE"
    ? AdmissionAttributes & { readonly operation: "UPDATE"; readonly object: T; readonly old: T }
    : O extends "DELETE"
      ? AdmissionAttributes & { readonly operation: "DELETE"; readonly object: undefined; readonly old: T }
      : AdmissionAttributes & { readonly operation: "CONNECT"; readonly object: T; readonly old: undefined };

/** An object without readonly modifiers. */
export type MutableObject<T> = [Json] extends [T]
  ? T
  : T extends string | number | boolean | bigint | null | undefined
    ? T
    : { -readonly [K in keyof T]: MutableObject<T[K]> };
