import type { Json, JsonObject, Scope, Shape } from "pintle/kinds";
import type { FieldError } from "../status/index.ts";
import type { ApiAnswer, ApiRequest } from "./request.ts";
import type { UserInfo } from "./user.ts";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";
export const ALL_VERBS: readonly Verb[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/**
 * One resource in one version, as the pipeline serves it. Built-in kinds and custom resources are both nothing more
 * than values of this type: no verb knows a kind by name.
 *
 * Objects that pass through here are plain JSON, frozen once stored, in the version of the resource. Functions that
 * change an object return a new one; they never touch what they were given.
 */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: Scope;
  readonly verbs: readonly Verb[];
  readonly storage: Storage;
  /** Changes with what objects are stored as: told in discovery. */
  readonly storageVersionHash?: string | undefined;
  readonly schema: ResourceSchema;
  readonly strategy: Strategy;
  readonly subresources: readonly Subresource[];
  readonly table: TablePrinter;
  /** Kinds that are questions (TokenReview, SubjectAccessReview): a create is answered with this, and nothing is stored. Throws to refuse. */
  readonly ask?: ((question: JsonObject, context: AskContext) => Promise<JsonObject>) | undefined;
  /** Kinds whose objects are looked up elsewhere whenever somebody asks, and never stored (ComponentStatus). */
  readonly look?: (() => Promise<readonly JsonObject[]>) | undefined;
  /**
   * Built-in kinds are Go types on a real server, and it shows: bodies may leave out kind and apiVersion, items of
   * lists do, and strategic merge patch is spoken.
   */
  readonly typed: boolean;
  /** Its CRD is being deleted: nothing new may be created. */
  readonly terminating?: boolean | undefined;
  /** Sent as a Warning header with every request for this version. */
  readonly deprecationWarning?: string | undefined;
}

export interface Storage {
  /** Key prefix without trailing slash: "/registry/pods", "/registry/services/specs", "/registry/example.com/widgets". */
  readonly prefix: string;
  /** Version objects are written in. */
  readonly version: string;
  /** Group whose objects these really are, where that is another one (events): errors about them name it. */
  readonly group?: string | undefined;
  /** How stored objects (of any version) become this version and back. Absent: all versions look the same, apiVersion is swapped. */
  readonly conversion?: Conversion | undefined;
  /** An object of this version in another, where that takes no asking: owners of fields there keep them. */
  inVersion?(object: JsonObject, version: string): JsonObject;
}

/** Keeps order, names and uids; may ask a webhook. */
export interface Conversion {
  fromStorage(objects: readonly JsonObject[]): Promise<readonly JsonObject[]>;
  toStorage(object: JsonObject): Promise<JsonObject>;
  /** Objects of any version in another one, without a way round by the stored version. */
  between?(objects: readonly JsonObject[], apiVersion: string): Promise<readonly JsonObject[]>;
}

export interface ResourceSchema {
  /**
   * Drops what the schema does not know, and brings metadata into stored form (known fields, nothing empty). `unknown`
   * has the paths of what went: "spec.foo". A value of the wrong type throws a DecodeError.
   */
  prune(object: JsonObject): { readonly object: JsonObject; readonly unknown: readonly string[] };
  default(object: JsonObject): JsonObject;
  /**
   * With `live`: an update, so immutable fields and transition rules apply and unchanged old errors may be let pass;
   * `warn` hears of those worth a word.
   */
  validate(object: JsonObject, live?: JsonObject, warn?: (passed: FieldError) => void): readonly FieldError[];
  /** The same for an update through the status subresource, where it looks at less. Absent: as any update. */
  validateStatus?(object: JsonObject, live: JsonObject, warn?: (passed: FieldError) => void): readonly FieldError[];
  readonly shape: Shape;
  /** What an object is before anybody wrote a field, where Go's structs are always there: nobody comes to own those. */
  readonly blank?: JsonObject | undefined;
}

/** What the hooks of a strategy may know about the request. */
export interface StrategyContext {
  readonly user: UserInfo;
  /** Milliseconds since the epoch, from the cluster's clock. */
  readonly now: number;
}

export interface AskContext extends StrategyContext {
  readonly dryRun: boolean;
}

/** Rules for an update of an object, or of the part of it that a subresource stands for. */
export interface UpdateStrategy {
  /** Undoes what this endpoint may not change, and sets what the server alone decides. Runs before validation. */
  prepareUpdate?(next: JsonObject, live: JsonObject, context: StrategyContext): JsonObject;
  /** Beyond schema and metadata rules. */
  validateUpdate?(next: JsonObject, live: JsonObject, context: StrategyContext): readonly FieldError[];
  warningsOnUpdate?(next: JsonObject, live: JsonObject): readonly string[];
  /** Field paths this endpoint ignores, so apply never claims them: [["status"]] for the main resource. */
  readonly resetFields?: readonly (readonly string[])[] | undefined;
}

export interface Strategy extends UpdateStrategy {
  prepareCreate?(object: JsonObject, context: StrategyContext): JsonObject;
  validateCreate?(object: JsonObject, context: StrategyContext): readonly FieldError[];
  warningsOnCreate?(object: JsonObject): readonly string[];
  /** What a valid `metadata.name` is; the answer is the reason it is not, without the value. Default: a DNS subdomain. */
  validateName?(name: string, prefix: boolean): readonly string[];
  /**
   * When `metadata.generation` grows. "spec": starts at 1, grows when .spec changes. "all": starts at 1, grows when
   * anything outside metadata changes. "none": never set. A function: starts at 1, grows when it says so.
   */
  readonly generation: "none" | "spec" | "all" | ((next: JsonObject, live: JsonObject) => boolean);
  /** A new object may come with a status (nodes register themselves with theirs); otherwise it is dropped. */
  readonly statusOnCreate?: boolean | undefined;
  /** PUT without resourceVersion overwrites; otherwise it is refused. */
  readonly unconditionalUpdate: boolean;
  /** PUT of a missing object creates it. */
  readonly createOnUpdate: boolean;
  readonly deletion?: DeletionRules | undefined;
  /**
   * Field selectors beyond metadata.name and metadata.namespace, with the text they compare to. Absent and {} differ
   * only in how an unknown label is refused: absent means the kind has no field mapping of its own.
   */
  readonly selectableFields?: Readonly<Record<string, (object: JsonObject) => string>> | undefined;
}

export interface DeletionRules {
  /** Propagation when the client says nothing; default "Background". "unsupported": policies are ignored (events). */
  readonly propagation?: "Background" | "Orphan" | "unsupported" | undefined;
  /** Seconds the object stays after a delete was asked for. Absent: none. */
  grace?(object: JsonObject, requested: number | undefined): number;
  /** What else changes when the object is first marked as being deleted (a namespace's phase). */
  mark?(object: JsonObject, context: StrategyContext): JsonObject;
  /** True while something other than metadata.finalizers keeps it (a namespace's spec.finalizers). */
  held?(object: JsonObject): boolean;
  /** Said to whoever deletes without a word on dependents. */
  readonly warning?: string | undefined;
  /** A delete that removes it at once is answered with what it was; otherwise with a Status. */
  readonly returnsObject?: boolean | undefined;
  /** The reason it may never be deleted, if any: "this namespace may not be deleted". */
  forbidden?(object: JsonObject): string | undefined;
}

export type Subresource = PartSubresource | ScaleSubresource | ActionSubresource | ConnectSubresource;

/** A view on a part of the object (status, finalize, ephemeralcontainers, approval): get, update and patch like the whole. */
export interface PartSubresource {
  readonly type: "part";
  readonly name: string;
  /** Default: get, patch, update. */
  readonly verbs?: readonly Verb[] | undefined;
  /** For "status" a missing `prepareUpdate` keeps everything but .status. */
  readonly strategy: UpdateStrategy;
}

/** autoscaling/v1 Scale over three places of the object; paths as field names: ["spec", "replicas"]. */
export interface ScaleSubresource {
  readonly type: "scale";
  readonly name: "scale";
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** A string, or a LabelSelector that is rendered as one. */
  readonly selector?: readonly string[] | undefined;
  /** What missing spec replicas count as; absent: an error, as for custom resources. */
  readonly defaultReplicas?: number | undefined;
}

/** Anything that is not the object itself: eviction, binding, token. Discovery needs what it takes and answers. */
export interface ActionSubresource {
  readonly type: "action";
  readonly name: string;
  readonly verbs: readonly Verb[];
  readonly accepts: { readonly group: string; readonly version: string; readonly kind: string; readonly schema: ResourceSchema };
  /** The answer's body; the status is 201 for create, 200 otherwise. */
  act(request: ActionRequest): Promise<JsonObject>;
}

/** A stream to or from what runs the object: log, exec, attach, portforward, proxy. */
export interface ConnectSubresource {
  readonly type: "connect";
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** What discovery says it takes. */
  readonly kind: string;
  /** The object's name in what stands for it in the path, where that says more: a proxy's has a port. */
  nameOf?(asked: string): string;
  /** Throws to refuse. */
  connect(object: JsonObject, request: ConnectRequest): Promise<ApiAnswer>;
}

export interface ConnectRequest extends ApiRequest {
  /** As the path has it, the port of a proxy included. */
  readonly name: string;
  /** What follows the subresource in the path, as it came: "/a/b/". */
  readonly rest: string;
}

export interface ActionRequest {
  readonly verb: Verb;
  readonly namespace: string;
  readonly name: string;
  /** Of the kind the action accepts, in the namespace of the request, admitted. */
  readonly body: JsonObject;
  readonly dryRun: boolean;
  readonly context: StrategyContext;
  /** Reads the object, changes it and writes it back; asked anew when somebody else was faster. */
  change(next: (live: JsonObject) => JsonObject): Promise<JsonObject>;
  /** Deletes the object as a DELETE with this body would. */
  remove(deleteOptions: JsonObject): Promise<void>;
}

export interface TableColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** "name" for the first column; "date", "int32", ... or "". */
  readonly format: string;
  readonly description: string;
  /** 0 is always shown; more only with -o wide. */
  readonly priority: number;
}

export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  /** One value per column. Ages are computed against `now` (milliseconds): see humanDuration. */
  cells(object: JsonObject, now: number): readonly Json[];
  /** Row conditions: a finished pod carries Completed. */
  conditions?(object: JsonObject): readonly JsonObject[];
  /** The order of rows, where it is not that of the list. */
  order?(a: JsonObject, b: JsonObject): number;
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** "v1" or "apps/v1". */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === "" ? version : `${group}/${version}`;
}
