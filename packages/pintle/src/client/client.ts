import type { Ref } from "../kinds/index.ts";
import type { Declared, Need, Verb, With } from "./need.ts";
import type { AppliedObject, DynamicKind, DynamicObject, List, NewObject, Read, Replacement, StatusObject, WatchEvent } from "./objects.ts";
import type {
  ApplyOptions,
  CallOptions,
  CollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  PageOptions,
  Patch,
  WaitOptions,
  WatchOptions,
  WriteOptions,
} from "./options.ts";
import type { EvictOptions, Exec, ExecOptions, ForwardedPort, LogOptions, Scale, Token, TokenOptions } from "./pod.ts";
import type { InputOf, Schema } from "./schema.ts";
import type { TransportRequest, TransportResponse } from "./transport.ts";

/** A kind of `N` declared with verb `V`; every kind when nothing was declared. */
type May<N, V extends Verb> = Declared<V, With<N, V>>;
type PodWith<N, V extends Verb> = Declared<V, With<N, V> & "v1/Pod">;
/** Connections are opened with GET and create something: servers ask for both verbs. */
type PodOpen<N, S extends "exec" | "portforward"> = Declared<
  `${S}/get` | `${S}/create`,
  With<N, `${S}/get`> & With<N, `${S}/create`> & "v1/Pod"
>;

/**
 * The verbs of the Kubernetes API over kinds as values. Objects are plain JSON, readonly, and the very ones the
 * transport gave: nothing is copied, nothing given is changed. Every failure is one of the classes in errors.ts.
 *
 * `N` are declared needs: a controller's client takes only kinds and verbs it declared.
 */
export interface Client<N = Need<string, Verb>> {
  /** The namespace of the kubeconfig context or of the pod this runs in. Never filled in silently: a default for callers to use. */
  readonly namespace: string;

  get<K extends May<N, "get">>(kind: K, ref: Ref<K>, options?: GetOptions): Promise<Read<K>>;
  /** As `get`, with undefined for an object that is not there. A kind that is not served is still NotFound. */
  find<K extends May<N, "get">>(kind: K, ref: Ref<K>, options?: GetOptions): Promise<Read<K> | undefined>;
  list<K extends May<N, "list">>(kind: K, options?: ListOptions): Promise<List<Read<K>>>;
  /** One consistent list in pages; throws Expired when the server has forgotten its version half way. */
  pages<K extends May<N, "list">>(kind: K, options?: PageOptions): AsyncIterableIterator<List<Read<K>>>;
  /** Ends when the server ends it. Throws Expired when `resourceVersion` is too old: list again. */
  watch<K extends May<N, "watch">>(kind: K, options?: WatchOptions): AsyncIterableIterator<WatchEvent<Read<K>>>;

  create<K extends May<N, "create">>(kind: K, object: NewObject<K>, options?: WriteOptions): Promise<Read<K>>;
  replace<K extends May<N, "update">>(kind: K, object: Replacement<K>, options?: WriteOptions): Promise<Read<K>>;
  patch<K extends May<N, "patch">>(kind: K, ref: Ref<K>, patch: Patch, options?: WriteOptions): Promise<Read<K>>;
  /** Server-side apply: creates or adopts; fields applied before and left out now are removed. */
  apply<K extends May<N, "patch">>(kind: K, object: AppliedObject<K>, options?: ApplyOptions): Promise<Read<K>>;
  /** Gives the object as the server last saw it, or undefined when the server does not tell. */
  delete<K extends May<N, "delete">>(kind: K, ref: Ref<K>, options?: DeleteOptions): Promise<Read<K> | undefined>;
  deleteCollection<K extends May<N, "deletecollection">>(kind: K, options: CollectionOptions<K>): Promise<void>;

  /** Waits, by watch, until the object is there and `until` holds; gives it as it then was. */
  wait<K extends May<N, "watch">>(kind: K, ref: Ref<K>, until: (object: Read<K>) => boolean, options?: WaitOptions): Promise<Read<K>>;
  /** Waits, by watch, until the object is gone. With a uid: also when another one has taken its name. */
  waitGone<K extends May<N, "watch">>(kind: K, ref: Ref<K>, options?: WaitOptions & { readonly uid?: string | undefined }): Promise<void>;

  readonly status: StatusVerbs<N>;
  readonly scale: ScaleVerbs<N>;
  /** Any other subresource, "resize", "approval", "ephemeralcontainers": untyped. */
  subresource(name: string): SubresourceVerbs;

  evict<K extends PodWith<N, "eviction/create">>(kind: K, ref: Ref<K>, options?: EvictOptions): Promise<void>;
  /** Assigns the pod to a node: what a scheduler does. */
  bind<K extends PodWith<N, "binding/create">>(kind: K, ref: Ref<K>, node: string, options?: CallOptions): Promise<void>;
  /** A token of a service account, for a while. */
  token<K extends Declared<"token/create", With<N, "token/create"> & "v1/ServiceAccount">>(
    kind: K,
    ref: Ref<K>,
    options?: TokenOptions,
  ): Promise<Token>;
  /** Bytes as they come; ends with the container's output, or when the iteration is left. */
  logs<K extends PodWith<N, "log/get">>(kind: K, ref: Ref<K>, options?: LogOptions): AsyncIterableIterator<Uint8Array>;
  exec<K extends PodOpen<N, "exec">>(kind: K, ref: Ref<K>, options: ExecOptions): Promise<Exec>;
  /** One connection to a port of the pod. */
  portForward<K extends PodOpen<N, "portforward">>(kind: K, ref: Ref<K>, port: number, options?: CallOptions): Promise<ForwardedPort>;

  /** A kind known only at run time, through discovery. Cached; a miss asks the server again. */
  kind(apiVersion: string, kind: string, options?: CallOptions): Promise<DynamicKind>;
  /** The same with a schema (Zod or any Standard Schema): objects read are checked against it and typed by it. */
  kind<S extends Schema>(
    apiVersion: string,
    kind: string,
    schema: S,
    options?: CallOptions,
  ): Promise<DynamicKind<DynamicObject & InputOf<S>>>;
  /** Every kind the server serves, one entry per version. Always asks the server. */
  kinds(options?: CallOptions): Promise<readonly DynamicKind[]>;

  /** Anything else. A status of 400 and above throws as every other call does. */
  request(request: TransportRequest): Promise<TransportResponse>;

  /** Ends what is in flight and closes every connection. */
  close(): Promise<void>;
}

export interface StatusVerbs<N = Need<string, Verb>> {
  get<K extends May<N, "status/get">>(kind: K, ref: Ref<K>, options?: GetOptions): Promise<Read<K>>;
  replace<K extends May<N, "status/update">>(kind: K, object: StatusObject<K>, options?: WriteOptions): Promise<Read<K>>;
  patch<K extends May<N, "status/patch">>(kind: K, ref: Ref<K>, patch: Patch, options?: WriteOptions): Promise<Read<K>>;
  apply<K extends May<N, "status/patch">>(kind: K, object: StatusObject<K>, options?: ApplyOptions): Promise<Read<K>>;
}

export interface ScaleVerbs<N = Need<string, Verb>> {
  get<K extends May<N, "scale/get">>(kind: K, ref: Ref<K>, options?: GetOptions): Promise<Scale>;
  replace<K extends May<N, "scale/update">>(kind: K, ref: Ref<K>, scale: Scale, options?: WriteOptions): Promise<Scale>;
  patch<K extends May<N, "scale/patch">>(kind: K, ref: Ref<K>, patch: Patch, options?: WriteOptions): Promise<Scale>;
}

export interface SubresourceVerbs {
  get<K extends Declared<string, string>>(kind: K, ref: Ref<K>, options?: GetOptions): Promise<DynamicObject>;
  create<K extends Declared<string, string>>(kind: K, ref: Ref<K>, body: object, options?: WriteOptions): Promise<DynamicObject>;
  replace<K extends Declared<string, string>>(kind: K, ref: Ref<K>, body: object, options?: WriteOptions): Promise<DynamicObject>;
  patch<K extends Declared<string, string>>(kind: K, ref: Ref<K>, patch: Patch, options?: WriteOptions): Promise<DynamicObject>;
  apply<K extends Declared<string, string>>(kind: K, ref: Ref<K>, body: object, options?: ApplyOptions): Promise<DynamicObject>;
}
