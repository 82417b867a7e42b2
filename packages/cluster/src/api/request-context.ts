import type { Clock, Random } from "pintle/internal/clock";
import type { Json, JsonObject } from "pintle/kinds";
import type { ObjectStore, StoreEntry, TxnCommitted } from "../store/index.ts";
import type { TurnQueue, Turns } from "../turns/index.ts";
import type { AdmissionChain, AdmissionLookup, AdmissionRequest } from "./admission/admission-chain.ts";
import type { SubresourceView } from "./admission/admission-request.ts";
import type { DecodedBody } from "./decode/request-body.ts";
import type { ListPage } from "./encoding/outgoing-list.ts";
import type { OutgoingObject } from "./encoding/outgoing-object.ts";
import type { ResponseFormat } from "./encoding/transform.ts";
import { getMetadata } from "./metadata/object-meta.ts";
import type { DeleteOptions } from "./options/delete-options.ts";
import type { ListOptions } from "./options/list-options.ts";
import type { WriteOptions } from "./options/write-options.ts";
import type { ResourceRegistry } from "./registry/registry.ts";
import { formatApiVersion, type ServedResource, type StrategyContext, type Subresource } from "./registry/served-resource.ts";
import type { ApiRequest, ApiResponse, RequestBody } from "./request/api-request.ts";
import type { AuthorizationDecision, Authorizer } from "./request/authorizer.ts";
import type { FlowControl, FlowTicket } from "./request/flow-control.ts";
import type { NonResourceRequest, RequestInfo, ResourceRequest } from "./request/request-info.ts";
import type { UserInfo } from "./request/user.ts";
import { WarningRecorder } from "./request/warnings.ts";
import type { StorageCodec } from "./storage/storage-codec.ts";
import type { WatchEventCache } from "./watch/watch-event-cache.ts";
import type { WatchMultiplexer } from "./watch/watch-multiplexer.ts";

/** What the stages of every request share. */
export interface ServerDependencies {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly storageCodec: StorageCodec;
  readonly watchEventCache: WatchEventCache;
  readonly watchMultiplexer: WatchMultiplexer;
  readonly clock: Clock;
  /** Divides work that takes long. */
  readonly turnQueue: TurnQueue;
  /** For names and uids. */
  readonly random: Random;
  /** For values that nothing stored depends on. */
  readonly jitter: Random;
  readonly authorizer: Authorizer;
  /** The feature gate ShardedListAndWatch. */
  readonly shardedListAndWatch: boolean;
  /** Default: requests are not limited. */
  readonly flowControl?: FlowControl | undefined;
  /** Default: the user that sent the request. */
  readonly impersonator?: Impersonator | undefined;
  readonly admissionChain: AdmissionChain;
  readonly admissionLookup: AdmissionLookup;
  /** Serves discovery, OpenAPI, version and health. */
  serveNonResource(request: ApiRequest, info: NonResourceRequest): Promise<ApiResponse>;
}

/** The user to execute a request as. */
export interface Impersonation {
  readonly user: UserInfo;
  /** The verb of the constrained mode that allowed it: "impersonate:user-info". Default: none, or the legacy mode. */
  readonly constraint?: string | undefined;
}

/** Returns the user to execute a request as. Throws 400 for headers that make no sense, 403 for a user that may not be impersonated. */
export type Impersonator = (
  request: { readonly headers: ApiRequest["headers"]; readonly user: UserInfo },
  info: RequestInfo,
) => Promise<Impersonation>;

/** What a request does to the resource it names, chosen by `route`: it decides which stages of the pipeline run. */
export type Operation =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "delete"
  | "deletecollection"
  /** A create of a kind that is never stored, such as TokenReview. */
  | "review"
  /** A subresource that is not the object itself: eviction, binding, token. */
  | "action"
  /** A stream to the node: log, exec, attach, port-forward, proxy. */
  | "connect";

/**
 * The state of one request, handed from stage to stage. There is no other per-request state. Every field is
 * initialised in the constructor, so that all requests share one hidden class; the comment of a field names the stage that writes it.
 */
export class RequestContext {
  /** The request as the transport received it. */
  readonly request: ApiRequest;
  readonly warnings: WarningRecorder;
  /** Written by admission plugins; read by the audit log. The first value of a key counts. */
  auditAnnotations: Record<string, string> | undefined = undefined;
  /** That of the request's header, or a generated one: set before the first stage. */
  auditId = "";
  /** The server that executes the request: set before the first stage behind the interceptors. */
  server: ServerDependencies = undefined as never;

  /** parseRequestInfo */
  requestInfo: RequestInfo = undefined as never;
  /** authenticate, then impersonate. */
  user: UserInfo = undefined as never;
  /** impersonate: read by the audit log. */
  impersonationConstraint: string | undefined = undefined;
  /** authorize: read by the audit log. */
  authorization: AuthorizationDecision | undefined = undefined;
  /** applyFlowControl: undefined for requests that need no seat. */
  flowTicket: FlowTicket | undefined = undefined;

  /** route */
  operation: Operation = "get";
  /** route: `requestInfo` of a resource, without the namespace of a Namespace. */
  info: ResourceRequest = undefined as never;
  /** route */
  resource: ServedResource = undefined as never;
  /** route: the kind that the body has: `resource`, or what an action accepts. */
  bodyResource: ServedResource = undefined as never;
  /** route: undefined for the object itself. */
  subresource: Subresource | undefined = undefined;
  /** route: the media type and form of objects that the client accepts; unset for `connect`. */
  format: ResponseFormat = undefined as never;

  /** readBody: undefined without one. */
  body: RequestBody | undefined = undefined;
  /** readBody, readLive: of a large request, whose following stages each wait for their turn, so that other requests run between them. */
  turns: Turns | undefined = undefined;
  /** Set when the client has had its 504: what is left of the request is not executed. */
  isAbandoned = false;

  /** decode: the object, patch or delete options of the body, before anything is filled in; read by the audit log. */
  sentObject: Json | undefined = undefined;
  /** decode: of create, update, patch, review and action. */
  writeOptions: WriteOptions = undefined as never;
  /** decode: of delete and deletecollection. */
  deleteOptions: DeleteOptions = undefined as never;
  /** decode: of deletecollection. */
  listOptions: ListOptions = undefined as never;
  /** decode: the media type of a patch. */
  patchType = "";
  /** decode: the body of a patch. */
  patchBody: DecodedBody | undefined = undefined;
  /** decode: the object that a create or update asks for. */
  requestedObject: JsonObject = undefined as never;
  /** decode: the uid that the updated object must have. */
  uidPrecondition: string | undefined = undefined;
  /** decode: a missing object is created instead of being an error. */
  createIfMissing = false;
  /** decode: what admission sees instead of the object, where a subresource is a view on it. */
  subresourceView: SubresourceView | undefined = undefined;

  /** readLive: the stored entry; undefined for an object that does not exist. */
  entry: StoreEntry | undefined = undefined;
  /** readLive: the stored object in the version of the request. */
  live: JsonObject | undefined = undefined;
  /** The object that is written: every stage from `decode` to `validate` replaces it. */
  object: JsonObject = undefined as never;
  /** patch: an apply to a custom resource has empty metadata fields, which counts as a change. */
  appliesEmptyMetadata = false;
  /** mutatingAdmission: of delete and action, whose validating half sees the same request. */
  admissionRequest: AdmissionRequest | undefined = undefined;
  /** mutatingAdmission: the object as admitted, before a name was generated. */
  admittedObject: JsonObject = undefined as never;
  /** prepareObject: how many generated names were tried. */
  nameAttempts = 0;

  /** commit */
  committed: TxnCommitted | undefined = undefined;
  /** Every commit that the request made, in order, those of admission plugins and of deleted dependents included; read by the audit log. */
  commits: RequestCommit[] | undefined = undefined;
  /** commit: the stage to go back to because another writer was faster. */
  retryFrom: "readLive" | "prepareObject" | undefined = undefined;
  /** read, commit */
  status = 200;
  /** read: the page of a list. */
  page: ListPage | undefined = undefined;
  /** convert: the object of the response, in the version of the request. */
  outgoing: OutgoingObject = undefined as never;

  /** Adds a Warning header to the response. */
  readonly warn: (text: string) => void;
  readonly addAuditAnnotation: (key: string, value: string) => void;
  readonly recordCommit: (committed: TxnCommitted, type?: RequestCommit["type"]) => void;

  /** Warnings, audit annotations and commits of a context with a `parent` are the parent's. */
  constructor(request: ApiRequest, parent?: RequestContext) {
    this.request = request;
    this.warnings = parent?.warnings ?? new WarningRecorder();
    this.warn = parent?.warn ?? ((text) => this.warnings.add(text));
    this.addAuditAnnotation =
      parent?.addAuditAnnotation ??
      ((key, value) => {
        this.auditAnnotations ??= {};
        this.auditAnnotations[key] ??= value;
      });
    this.recordCommit =
      parent?.recordCommit ??
      (({ entry, value }, type = "put") => {
        const commit = { type, key: entry.key, revision: entry.revision, uid: getMetadata(value).uid ?? "" };
        // A literal has room for one element. The audit log keeps it, and an array that grew by push would have room for 17.
        if (this.commits === undefined) this.commits = [commit];
        else this.commits.push(commit);
      });
  }
}

/** One commit that a request made. */
export interface RequestCommit {
  /** Whether the object was written or removed. */
  readonly type: "put" | "delete";
  /** The key in the store: "/registry/pods/default/web". */
  readonly key: string;
  /** The revision of the commit. */
  readonly revision: number;
  /** The uid of the object. */
  readonly uid: string;
}

/** Creates the context of a delete that a request makes of one object: of a collection, or by an eviction. */
export function createDeleteContext(context: RequestContext, info: ResourceRequest, deleteOptions: DeleteOptions): RequestContext {
  const derived = new RequestContext(context.request, context);
  derived.server = context.server;
  derived.requestInfo = context.requestInfo;
  derived.user = context.user;
  derived.operation = "delete";
  derived.info = info;
  derived.resource = context.resource;
  derived.bodyResource = context.resource;
  derived.format = context.format;
  derived.deleteOptions = deleteOptions;
  return derived;
}

/** Makes each of the following stages wait for its turn, because the request is large. Throws `TooManyRequestsError`. */
export function beginTurns(context: RequestContext): void {
  if (context.turns !== undefined) return;
  context.flowTicket?.becomeLong();
  context.turns = context.server.turnQueue.begin();
}

/** From this length on, the stages of a write take long enough for other requests to notice. */
export const LARGE_OBJECT_BYTES = 32 * 1024;

/** A resource as errors name it. */
export function getGroupResource({ group, plural }: ServedResource) {
  return { group, resource: plural };
}

/** A kind as errors about its content name it. */
export function getGroupKind({ group, kind, storage }: ServedResource) {
  return { group: storage.group ?? group, resource: kind };
}

export function createStrategyContext({ server, user, recordCommit }: RequestContext): StrategyContext {
  return { user, now: server.clock.now(), recordCommit };
}

/** Whether a kind is served. */
export function isKindServed({ server }: RequestContext, apiVersion: string, kind: string): boolean {
  return server.registry
    .groups()
    .some(({ versions }) =>
      versions.some(({ resources }) => resources.some((each) => each.kind === kind && formatApiVersion(each) === apiVersion)),
    );
}
