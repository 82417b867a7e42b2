import type { Json, JsonObject, Scope, Shape } from "pintle/kinds";
import type { FieldError } from "../../status/index.ts";
import type { TxnCommitted } from "../../store/index.ts";
import type { ApiRequest, ApiResponse } from "../request/api-request.ts";
import type { UserInfo } from "../request/user.ts";

/** The verbs of requests for a resource, as RBAC and discovery name them. */
export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";
export const ALL_VERBS: readonly Verb[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/**
 * One resource in one version, as the pipeline serves it. Built-in kinds and custom resources are values of this type: no stage
 * knows a kind by name.
 *
 * Objects are plain JSON, frozen once stored, in the version of the resource. Functions that change an object return a new one and leave
 * their argument alone.
 */
export interface ServedResource {
  /** The API group; empty for core kinds. */
  readonly group: string;
  /** The version of the group that this value serves. */
  readonly version: string;
  /** "Pod". */
  readonly kind: string;
  /** "PodList". */
  readonly listKind: string;
  /** The name in paths and in RBAC rules: "pods". */
  readonly plural: string;
  /** "pod". */
  readonly singular: string;
  /** Names that kubectl accepts too: "po". */
  readonly shortNames: readonly string[];
  /** Groups of resources that kubectl accepts in place of a name: "all". */
  readonly categories: readonly string[];
  /** Whether objects belong to a namespace. */
  readonly scope: Scope;
  /** The verbs of the main resource; subresources have their own. */
  readonly verbs: readonly Verb[];
  /** Where objects are stored. */
  readonly storage: ResourceStorage;
  /** Changes with the storage version; part of discovery. Default: none. */
  readonly storageVersionHash?: string | undefined;
  /** What objects consist of. */
  readonly schema: ResourceSchema;
  /** Other apiVersions that a body may name, with the same fields: an Eviction of policy/v1beta1, which is not served any more. Default: none. */
  readonly olderApiVersions?: readonly string[] | undefined;
  /** The rules of the kind beyond its schema. */
  readonly strategy: ResourceStrategy;
  /** The subresources that are served. */
  readonly subresources: readonly Subresource[];
  /** How objects are printed. */
  readonly table: TablePrinter;
  /**
   * Evaluates a create of a kind that is never stored (TokenReview, SubjectAccessReview); the result is the response. Throws `ApiError` to
   * refuse. Default: objects are stored.
   */
  readonly evaluateReview?: ((review: JsonObject, context: ReviewContext) => Promise<JsonObject>) | undefined;
  /** Computes the objects of a kind that is never stored (ComponentStatus). Default: they are read from the store. */
  readonly computeObjects?: (() => Promise<readonly JsonObject[]>) | undefined;
  /**
   * Built-in kinds are Go types in kube-apiserver: bodies and list items may lack kind and apiVersion, and strategic merge patch
   * is supported.
   */
  readonly typed: boolean;
  /** Its CRD is being deleted: nothing new may be created. Default: false. */
  readonly terminating?: boolean | undefined;
  /** Sent as a Warning header with every request for this version. Default: none. */
  readonly deprecationWarning?: string | undefined;
}

/** Where the objects of a resource are stored, and in which version. */
export interface ResourceStorage {
  /** Key prefix without trailing slash: "/registry/pods", "/registry/services/specs", "/registry/example.com/widgets". */
  readonly prefix: string;
  /** The storage version. */
  readonly version: string;
  /** The group of the stored objects, where it is another one (events): errors name it. Default: the group of the resource. */
  readonly group?: string | undefined;
  /** Converts stored objects of any version to this version and back. Default: all versions have one schema, only apiVersion changes. */
  readonly conversion?: Conversion | undefined;
  /**
   * Converts an object of this version to another without a webhook, for managed fields and admission. Default: only apiVersion changes.
   */
  convertToVersion?(object: JsonObject, version: string): JsonObject;
}

/** Conversion between versions. Keeps order, names and uids; may call a webhook. */
export interface Conversion {
  /** Converts stored objects to the version of the resource. */
  fromStorage(objects: readonly JsonObject[]): Promise<readonly JsonObject[]>;
  /** Converts an object of the version of the resource to the storage version. */
  toStorage(object: JsonObject): Promise<JsonObject>;
  /** Converts objects of any version to another one directly. Default: through the storage version. */
  convert?(objects: readonly JsonObject[], apiVersion: string): Promise<readonly JsonObject[]>;
}

/** The schema of a resource in one version: what is pruned, defaulted and validated. */
export interface ResourceSchema {
  /**
   * Prunes fields that the schema does not know, and normalises metadata (known fields, nothing empty). `unknown`
   * has the paths of pruned fields: "spec.foo". Throws DecodeError for a value of the wrong type.
   */
  prune(object: JsonObject): { readonly object: JsonObject; readonly unknown: readonly string[] };
  /** Returns the object with the defaults of absent fields. */
  default(object: JsonObject): JsonObject;
  /**
   * Validates an object. With `live` it is an update: immutable fields and transition rules apply, and errors in unchanged fields may be
   * tolerated (ratcheting); `warn` receives those that deserve a warning.
   */
  validate(object: JsonObject, live?: JsonObject, warn?: (passed: FieldError) => void): readonly FieldError[];
  /** Validates an update through the status subresource, which checks less. Default: as any update. */
  validateStatus?(object: JsonObject, live: JsonObject, warn?: (passed: FieldError) => void): readonly FieldError[];
  /** The merge structure of objects, for apply and patches. */
  readonly shape: Shape;
  /** The zero value of a kind whose Go structs are always present: nothing in it has a field manager. Default: none. */
  readonly zeroValue?: JsonObject | undefined;
}

/** What a strategy may know about the request. */
export interface StrategyContext {
  /** The user that sends the request. */
  readonly user: UserInfo;
  /** Milliseconds since the epoch, from the cluster's clock. */
  readonly now: number;
  /** Records a commit that a strategy made on behalf of the request. */
  recordCommit(committed: TxnCommitted): void;
}

/** What the evaluation of a review may know about the request. */
export interface ReviewContext extends StrategyContext {
  /** Whether the request must have no effect. */
  readonly dryRun: boolean;
}

/** The strategy for updates of an object, or of the part that a subresource stands for. */
export interface UpdateStrategy {
  /** Undoes changes that this endpoint does not allow, and sets what the server decides. Runs before validation. */
  prepareForUpdate?(next: JsonObject, live: JsonObject, context: StrategyContext): JsonObject;
  /** Validates beyond schema and metadata. */
  validateUpdate?(next: JsonObject, live: JsonObject, context: StrategyContext): readonly FieldError[];
  /** Returns the warnings of an accepted update. */
  warningsOnUpdate?(next: JsonObject, live: JsonObject): readonly string[];
  /** Field paths this endpoint ignores, so apply never claims them: [["status"]] for the main resource. */
  readonly resetFields?: readonly (readonly string[])[] | undefined;
}

/** The rules of a kind beyond its schema: names, generation, create, update and delete. Default of every function: no rule. */
export interface ResourceStrategy extends UpdateStrategy {
  /** Sets what the server decides in a new object. Runs before validation. */
  prepareForCreate?(object: JsonObject, context: StrategyContext): JsonObject;
  /** Validates a new object beyond schema and metadata. */
  validateCreate?(object: JsonObject, context: StrategyContext): readonly FieldError[];
  /** Returns the warnings of an accepted create. */
  warningsOnCreate?(object: JsonObject): readonly string[];
  /** Validates `metadata.name`; returns the problems, without the value. Default: a DNS subdomain. */
  validateName?(name: string, prefix: boolean): readonly string[];
  /**
   * When `metadata.generation` increases. "spec": starts at 1, increases when .spec changes. "all": starts at 1, increases when
   * anything outside metadata changes. "none": never set. A function: starts at 1, increases when it returns true.
   */
  readonly generation: "none" | "spec" | "all" | ((next: JsonObject, live: JsonObject) => boolean);
  /** A new object keeps its status (nodes register themselves with theirs); otherwise it is dropped. Default: false. */
  readonly allowStatusOnCreate?: boolean | undefined;
  /** A PUT without resourceVersion overwrites; otherwise it is refused. */
  readonly allowUnconditionalUpdate: boolean;
  /** A PUT of a missing object creates it. */
  readonly allowCreateOnUpdate: boolean;
  /** How objects are deleted. Default: at once, with propagation policy "Background". */
  readonly deletion?: DeletionStrategy | undefined;
  /**
   * Selectable fields beyond metadata.name and metadata.namespace, with functions that read them. Absent and {} differ
   * only in the error for an unknown field: absent means the kind has no field label conversion of its own.
   */
  readonly selectableFields?: Readonly<Record<string, (object: JsonObject) => string>> | undefined;
}

/** How objects of a kind are deleted. Default of every function: no rule. */
export interface DeletionStrategy {
  /** The propagation policy when the client sends none. Default: "Background". "unsupported": policies are ignored (events). */
  readonly defaultPropagation?: "Background" | "Orphan" | "unsupported" | undefined;
  /** Returns the grace period of a delete in seconds. Default: none. */
  getGracePeriodSeconds?(object: JsonObject, requested: number | undefined): number;
  /** Changes the object when it is first marked as being deleted (a namespace's phase). */
  prepareForDelete?(object: JsonObject, context: StrategyContext): JsonObject;
  /** Whether something other than metadata.finalizers blocks the deletion (a namespace's spec.finalizers). */
  isDeletionBlocked?(object: JsonObject): boolean;
  /** The Warning for a delete without a propagation policy. Default: none. */
  readonly warning?: string | undefined;
  /** A delete that removes the object at once returns it; otherwise a Status. Default: false. */
  readonly returnsDeletedObject?: boolean | undefined;
}

/** A subresource: a part of the object, its scale, an action, or a stream to its node. */
export type Subresource = ObjectSubresource | ScaleSubresource | ActionSubresource | ConnectSubresource;

/** A subresource that is the object itself with another strategy (status, finalize, ephemeralcontainers, approval): get, update and patch. */
export interface ObjectSubresource {
  readonly type: "part";
  /** "status". */
  readonly name: string;
  /** Default: get, patch, update. */
  readonly verbs?: readonly Verb[] | undefined;
  /** For "status", a missing `prepareForUpdate` keeps everything but .status. */
  readonly strategy: UpdateStrategy;
}

/** An autoscaling/v1 Scale over three fields of the object; paths as field names: ["spec", "replicas"]. */
export interface ScaleSubresource {
  readonly type: "scale";
  readonly name: "scale";
  /** Path of the wanted number of replicas. */
  readonly specReplicas: readonly string[];
  /** Path of the observed number of replicas. */
  readonly statusReplicas: readonly string[];
  /** Path of the selector: a string, or a LabelSelector that is rendered as one. Default: none. */
  readonly selector?: readonly string[] | undefined;
  /** The value of missing spec replicas. Default: an error, as for custom resources. */
  readonly defaultReplicas?: number | undefined;
}

/** A subresource that is not the object itself: eviction, binding, token. Discovery lists the kind that it accepts. */
export interface ActionSubresource {
  readonly type: "action";
  /** "eviction". */
  readonly name: string;
  /** The verbs that are served: "create" for most actions. */
  readonly verbs: readonly Verb[];
  /** The kind of the request body. */
  readonly accepts: Pick<ServedResource, "group" | "version" | "kind" | "schema" | "olderApiVersions">;
  /** Returns the body of the response; its status is 201 for create, 200 otherwise. */
  execute(request: ActionRequest): Promise<JsonObject>;
}

/** A stream to the node of the object: log, exec, attach, portforward, proxy. */
export interface ConnectSubresource {
  readonly type: "connect";
  /** "exec". */
  readonly name: string;
  /** The verbs that are served. */
  readonly verbs: readonly Verb[];
  /** The kind in discovery. */
  readonly kind: string;
  /** Parses the object's name from the name in the path, which for a proxy has a port. Default: the name as it is. */
  parseObjectName?(name: string): string;
  /** Opens the stream. Throws `ApiError` to refuse. */
  connect(object: JsonObject, request: ConnectRequest): Promise<ApiResponse>;
}

/** A request for a stream to the node of an object. */
export interface ConnectRequest extends ApiRequest {
  /** The authenticated user. */
  readonly user: UserInfo;
  /** The name in the path, with the port of a proxy. */
  readonly name: string;
  /** The path after the subresource, still escaped: "/a/b/". */
  readonly subpath: string;
}

/** A request for an action subresource, after admission of its body. */
export interface ActionRequest {
  /** The verb of the request. */
  readonly verb: Verb;
  /** The namespace of the object. */
  readonly namespace: string;
  /** The name of the object. */
  readonly name: string;
  /** The admitted body, of the kind that the action accepts, in the namespace of the request. */
  readonly body: JsonObject;
  /** Whether the request must have no effect. */
  readonly dryRun: boolean;
  /** User and time of the request. */
  readonly context: StrategyContext;
  /** Adds an audit annotation. The first value of a key counts. */
  addAuditAnnotation(key: string, value: string): void;
  /** Reads the object, changes it and writes it back; `next` is called again when another writer was faster. */
  updateObject(next: (live: JsonObject) => JsonObject): Promise<JsonObject>;
  /** Deletes the object as a DELETE with this body does. */
  deleteObject(deleteOptions: JsonObject): Promise<void>;
}

/** A column of the table that `kubectl get` prints. */
export interface TableColumn {
  /** The heading. */
  readonly name: string;
  /** The type of the cells. */
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** "name" for the first column; "date", "int32", ... or "". */
  readonly format: string;
  /** What the column shows. */
  readonly description: string;
  /** 0 is always shown; more only with -o wide. */
  readonly priority: number;
}

/** How objects of a resource become rows of a table. */
export interface TablePrinter {
  /** The columns, in order. */
  readonly columns: readonly TableColumn[];
  /** Returns one value per column. Ages are computed against `now` (milliseconds): see formatHumanDuration. */
  cells(object: JsonObject, now: number): readonly Json[];
  /** Conditions of a row: a finished pod has Completed. Default: none. */
  rowConditions?(object: JsonObject): readonly JsonObject[];
  /** Compares rows, where their order is not that of the list. Default: the order of the list. */
  compareRows?(a: JsonObject, b: JsonObject): number;
}

/** An API group and a version of it; the group of core kinds is empty. */
export interface GroupVersion {
  /** The group: "apps", or empty. */
  readonly group: string;
  /** The version: "v1". */
  readonly version: string;
}

/** Formats "v1" or "apps/v1". */
export function formatApiVersion({ group, version }: GroupVersion): string {
  return group === "" ? version : `${group}/${version}`;
}
