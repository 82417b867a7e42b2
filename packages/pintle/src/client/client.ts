import type { ObjectRef } from "../kinds/index.ts";
import type { DeclaredIds, DeclaredKind, Permission, Verb } from "./permissions.ts";
import type { TransportRequest, TransportResponse } from "./transport.ts";
import type {
  ApplyConfiguration,
  DynamicKind,
  DynamicObject,
  LiveObject,
  NewObject,
  ObjectList,
  ReplacementObject,
  StatusObject,
  WatchEvent,
} from "./verbs/objects.ts";
import type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeletionOptions,
  GetOptions,
  ListOptions,
  ObjectPatch,
  PageOptions,
  RequestOptions,
  WaitOptions,
  WatchOptions,
  WriteOptions,
} from "./verbs/options.ts";
import type {
  EvictionOptions,
  ExecOptions,
  ExecSession,
  ForwardedPort,
  PodLogOptions,
  Scale,
  ServiceAccountToken,
  TokenRequestOptions,
} from "./verbs/pod-types.ts";
import type { SchemaInput, StandardSchema } from "./verbs/standard-schema.ts";

/** A kind that `N` declares with verb `V`; every kind if nothing was declared. */
type DeclaredFor<N, V extends Verb> = DeclaredKind<V, DeclaredIds<N, V>>;
type DeclaredPod<N, V extends Verb> = DeclaredKind<V, DeclaredIds<N, V> & "v1/Pod">;
/** Streams are opened with GET and create something: API servers check both verbs. */
type DeclaredPodStream<N, S extends "exec" | "portforward"> = DeclaredKind<
  `${S}/get` | `${S}/create`,
  DeclaredIds<N, `${S}/get`> & DeclaredIds<N, `${S}/create`> & "v1/Pod"
>;

/**
 * The verbs of the Kubernetes API. Objects are plain readonly JSON, as received from the transport: they are not copied, and arguments are
 * not modified. A failed request throws a subclass of `RequestError`.
 *
 * `N` are the declared permissions: the client of a controller accepts only declared kinds and verbs.
 */
export interface Client<N = Permission<string, Verb>> {
  /** The namespace of the kubeconfig context or of the pod. The client never uses it on its own; it is a default for callers. */
  readonly namespace: string;

  /** Reads an object. Throws `NotFound` if it does not exist. */
  get<K extends DeclaredFor<N, "get">>(kind: K, ref: ObjectRef<K>, options?: GetOptions): Promise<LiveObject<K>>;
  /** Like `get`, but resolves to undefined if the object does not exist. Throws `NotFound` if the kind is not served. */
  find<K extends DeclaredFor<N, "get">>(kind: K, ref: ObjectRef<K>, options?: GetOptions): Promise<LiveObject<K> | undefined>;
  /** Lists objects of all namespaces, or of `options.namespace`, in one consistent response. For long lists see `listPages`. */
  list<K extends DeclaredFor<N, "list">>(kind: K, options?: ListOptions): Promise<ObjectList<LiveObject<K>>>;
  /** Iterates over the pages of one consistent list. Throws `Expired` if the server has compacted its version meanwhile. */
  listPages<K extends DeclaredFor<N, "list">>(kind: K, options?: PageOptions): AsyncIterableIterator<ObjectList<LiveObject<K>>>;
  /** Iterates until the server ends the watch. Throws `Expired` if `resourceVersion` is too old: list again. */
  watch<K extends DeclaredFor<N, "watch">>(kind: K, options?: WatchOptions): AsyncIterableIterator<WatchEvent<LiveObject<K>>>;

  /** Creates an object. Throws `AlreadyExists`. */
  create<K extends DeclaredFor<N, "create">>(kind: K, object: NewObject<K>, options?: WriteOptions): Promise<LiveObject<K>>;
  /** Replaces an object as a whole. Throws `Conflict` if the object's resourceVersion is not the current one. */
  replace<K extends DeclaredFor<N, "update">>(kind: K, object: ReplacementObject<K>, options?: WriteOptions): Promise<LiveObject<K>>;
  /** Changes parts of an object: a JSON merge patch, a JSON patch or a strategic merge patch. Throws `NotFound`. */
  patch<K extends DeclaredFor<N, "patch">>(kind: K, ref: ObjectRef<K>, patch: ObjectPatch, options?: WriteOptions): Promise<LiveObject<K>>;
  /** Server-side apply: creates or updates the object; fields applied before and omitted now are removed. */
  apply<K extends DeclaredFor<N, "patch">>(kind: K, object: ApplyConfiguration<K>, options?: ApplyOptions): Promise<LiveObject<K>>;
  /** Resolves to the deleted or terminating object, or undefined if the server responds with a Status. */
  delete<K extends DeclaredFor<N, "delete">>(kind: K, ref: ObjectRef<K>, options?: DeletionOptions): Promise<LiveObject<K> | undefined>;
  /** Deletes all objects that the options select, of one namespace for a namespaced kind. The server deletes them one by one. */
  deleteCollection<K extends DeclaredFor<N, "deletecollection">>(kind: K, options: DeleteCollectionOptions<K>): Promise<void>;

  /** Resolves to the object once it exists and `until` holds, by list and watch. Throws `Timeout` after `timeout`. */
  waitFor<K extends DeclaredFor<N, "watch">>(
    kind: K,
    ref: ObjectRef<K>,
    until: (object: LiveObject<K>) => boolean,
    options?: WaitOptions,
  ): Promise<LiveObject<K>>;
  /** Resolves once the object does not exist. With a uid: also when another object has the name. */
  waitForDeletion<K extends DeclaredFor<N, "watch">>(
    kind: K,
    ref: ObjectRef<K>,
    options?: WaitOptions & { readonly uid?: string | undefined },
  ): Promise<void>;

  /** Verbs of the status subresource. */
  readonly status: StatusVerbs<N>;
  /** Verbs of the scale subresource. */
  readonly scale: ScaleVerbs<N>;
  /** Returns untyped verbs of another subresource: "resize", "approval", "ephemeralcontainers". */
  subresource(name: string): SubresourceVerbs;

  /** Evicts a pod (Eviction): a delete that PodDisruptionBudgets may refuse with `TooManyRequests`. */
  evict<K extends DeclaredPod<N, "eviction/create">>(kind: K, ref: ObjectRef<K>, options?: EvictionOptions): Promise<void>;
  /** Binds the pod to a node, as a scheduler does. */
  bind<K extends DeclaredPod<N, "binding/create">>(kind: K, ref: ObjectRef<K>, node: string, options?: RequestOptions): Promise<void>;
  /** Creates a token of a service account (TokenRequest). */
  createToken<K extends DeclaredKind<"token/create", DeclaredIds<N, "token/create"> & "v1/ServiceAccount">>(
    kind: K,
    ref: ObjectRef<K>,
    options?: TokenRequestOptions,
  ): Promise<ServiceAccountToken>;
  /** Iterates over the output of a container. Ending the iteration ends the request. */
  logs<K extends DeclaredPod<N, "log/get">>(kind: K, ref: ObjectRef<K>, options?: PodLogOptions): AsyncIterableIterator<Uint8Array>;
  /** Starts a command in a container. */
  exec<K extends DeclaredPodStream<N, "exec">>(kind: K, ref: ObjectRef<K>, options: ExecOptions): Promise<ExecSession>;
  /** Opens one connection to a port of the pod. */
  portForward<K extends DeclaredPodStream<N, "portforward">>(
    kind: K,
    ref: ObjectRef<K>,
    port: number,
    options?: RequestOptions,
  ): Promise<ForwardedPort>;

  /** Resolves to a kind known only at run time, by discovery. Cached; a missing kind is requested again. Throws `NotFound`. */
  discoverKind(apiVersion: string, kind: string, options?: RequestOptions): Promise<DynamicKind>;
  /** The same with a schema (Zod or any Standard Schema): objects are validated when read, and typed by it. */
  discoverKind<S extends StandardSchema>(
    apiVersion: string,
    kind: string,
    schema: S,
    options?: RequestOptions,
  ): Promise<DynamicKind<DynamicObject & SchemaInput<S>>>;
  /** Resolves to every kind that the server serves, one entry per version. Not cached. */
  discoverKinds(options?: RequestOptions): Promise<readonly DynamicKind[]>;

  /** Sends any other request. Throws `RequestError` for a status code of 300 and above. */
  request(request: TransportRequest): Promise<TransportResponse>;

  /** Aborts requests in flight and closes all connections. */
  close(): Promise<void>;
}

/** The verbs of the status subresource. */
export interface StatusVerbs<N = Permission<string, Verb>> {
  /** Reads an object through its status subresource. */
  get<K extends DeclaredFor<N, "status/get">>(kind: K, ref: ObjectRef<K>, options?: GetOptions): Promise<LiveObject<K>>;
  /** Replaces the status; changes outside of it are ignored by the server. Throws `Conflict`. */
  replace<K extends DeclaredFor<N, "status/update">>(kind: K, object: StatusObject<K>, options?: WriteOptions): Promise<LiveObject<K>>;
  /** Patches the status. */
  patch<K extends DeclaredFor<N, "status/patch">>(
    kind: K,
    ref: ObjectRef<K>,
    patch: ObjectPatch,
    options?: WriteOptions,
  ): Promise<LiveObject<K>>;
  /** Applies fields of the status (server-side apply). */
  apply<K extends DeclaredFor<N, "status/patch">>(kind: K, object: StatusObject<K>, options?: ApplyOptions): Promise<LiveObject<K>>;
}

/** The verbs of the scale subresource. */
export interface ScaleVerbs<N = Permission<string, Verb>> {
  /** Reads the scale of an object. */
  get<K extends DeclaredFor<N, "scale/get">>(kind: K, ref: ObjectRef<K>, options?: GetOptions): Promise<Scale>;
  /** Replaces the scale. Throws `Conflict`. */
  replace<K extends DeclaredFor<N, "scale/update">>(kind: K, ref: ObjectRef<K>, scale: Scale, options?: WriteOptions): Promise<Scale>;
  /** Patches the scale. */
  patch<K extends DeclaredFor<N, "scale/patch">>(kind: K, ref: ObjectRef<K>, patch: ObjectPatch, options?: WriteOptions): Promise<Scale>;
}

/** The verbs of any other subresource, untyped. */
export interface SubresourceVerbs {
  /** Reads the subresource. */
  get<K extends DeclaredKind<string, string>>(kind: K, ref: ObjectRef<K>, options?: GetOptions): Promise<DynamicObject>;
  /** Sends a POST to the subresource. */
  create<K extends DeclaredKind<string, string>>(kind: K, ref: ObjectRef<K>, body: object, options?: WriteOptions): Promise<DynamicObject>;
  /** Replaces the subresource. */
  replace<K extends DeclaredKind<string, string>>(kind: K, ref: ObjectRef<K>, body: object, options?: WriteOptions): Promise<DynamicObject>;
  /** Patches the subresource. */
  patch<K extends DeclaredKind<string, string>>(
    kind: K,
    ref: ObjectRef<K>,
    patch: ObjectPatch,
    options?: WriteOptions,
  ): Promise<DynamicObject>;
  /** Applies fields of the subresource. */
  apply<K extends DeclaredKind<string, string>>(kind: K, ref: ObjectRef<K>, body: object, options?: ApplyOptions): Promise<DynamicObject>;
}
