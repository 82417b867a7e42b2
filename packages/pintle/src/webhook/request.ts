import type { ForeignObject, Json, ReadOf } from "../kinds/index.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** Who asks, as the API server knows them. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What every request says, whatever it is about. */
export interface About {
  /** Of the request, not of the object: the same for every webhook that hears of it. */
  readonly uid: string;
  readonly user: UserInfo;
  /** Nothing will be stored: leave the rest of the world alone, too. */
  readonly dryRun: boolean;
  /** "" where the server makes up the name only later. */
  readonly name: string;
  /** Undefined for what has no namespace. */
  readonly namespace: string | undefined;
  /** "status", ...; undefined for the object itself. */
  readonly subresource: string | undefined;
  /** CreateOptions, UpdateOptions or DeleteOptions, as the client sent them. */
  readonly options: { readonly [field: string]: Json | undefined };
  /** Aborts when the API server no longer waits for an answer. */
  readonly signal: AbortSignal;
}

/** Objects of subresources other than status are of kinds of their own: Scale, Eviction, PodExecOptions. */
export type Admitted<K, S extends string> = ReadOf<K> | ([Exclude<S, "status">] extends [never] ? never : ForeignObject);

/** What is asked for. `operation` tells which of `object` and `old` are there. */
export type AdmissionRequest<T, O extends Operation = Operation> = O extends "CREATE"
  ? About & { readonly operation: "CREATE"; readonly object: T; readonly old: undefined }
  : O extends "UPDATE"
    ? About & { readonly operation: "UPDATE"; readonly object: T; readonly old: T }
    : O extends "DELETE"
      ? About & { readonly operation: "DELETE"; readonly object: undefined; readonly old: T }
      : About & { readonly operation: "CONNECT"; readonly object: T; readonly old: undefined };

/** An object that may be changed. */
export type Draft<T> = [Json] extends [T]
  ? T
  : T extends string | number | boolean | bigint | null | undefined
    ? T
    : { -readonly [K in keyof T]: Draft<T[K]> };
