import type { JsonObject } from "pintle/kinds";
import type { TxnCommitted } from "../../store/index.ts";
import type { GroupVersion, ServedResource } from "../registry/served-resource.ts";
import type { UserInfo } from "../request/user.ts";

/** The operation of an admission request. */
export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** A kind in one version of its API group. */
export interface GroupVersionKind extends GroupVersion {
  /** "Deployment". */
  readonly kind: string;
}

/** A write or a connection that admission decides about. */
export interface AdmissionRequest {
  /** What the request does. */
  readonly operation: AdmissionOperation;
  /** The resource of the request path. */
  readonly resource: ServedResource;
  /** "status"; empty for the object itself. */
  readonly subresource: string;
  /** The namespace of the object; empty for cluster-scoped ones. */
  readonly namespace: string;
  /** Empty for a create without a name, and for the objects of a deletecollection. */
  readonly name: string;
  /** Undefined on delete. */
  readonly object: JsonObject | undefined;
  /** Undefined on create. */
  readonly live: JsonObject | undefined;
  /** The kind of the object: not always that of the resource, for a Scale or an Eviction. */
  readonly kind: GroupVersionKind;
  /** The user that sends the request. */
  readonly user: UserInfo;
  /** Whether the request must have no effect. */
  readonly dryRun: boolean;
  /** Whether the mutating plugins run a second time. */
  readonly reinvocation: ReinvocationState;
  /** What plugins may read of the server. */
  readonly lookup: AdmissionLookup;
  /** Aborts when the client disconnects. */
  signal(): AbortSignal;
  /** CreateOptions, UpdateOptions or DeleteOptions of the request; undefined on connect. */
  options(): JsonObject | undefined;
  /** The audit id of the request. */
  readonly auditId: string;
  /** The `traceparent` header of the request. Default: it has none. */
  readonly traceparent?: string | undefined;
  /** Adds a Warning header to the response. */
  warn(text: string): void;
  /** Adds an audit annotation. The first value of a key counts. */
  addAuditAnnotation(key: string, value: string): void;
  /** Records a commit that a plugin made on behalf of the request. */
  recordCommit(committed: TxnCommitted): void;
}

/** What admission plugins may read of the server. */
export interface AdmissionLookup {
  /** Resources served from the same stored objects: all versions, and events of the other group. */
  findEquivalents(resource: ServedResource): readonly ServedResource[];
  /** Converts an object of one of those to another. */
  convert(object: JsonObject, from: ServedResource, to: ServedResource): Promise<JsonObject>;
  /** Finds the resource of a kind. */
  findResource(apiVersion: string, kind: string): ServedResource | undefined;
  /** Lists the stored objects of a resource, in its version: in one namespace, or all. */
  listStored(resource: ServedResource, namespace: string): Promise<readonly JsonObject[]>;
}

/** Whether the mutating plugins run a second time; shared by all plugins of one request. */
export interface ReinvocationState {
  /** A plugin changed the object after plugins that want to see the change. */
  requested: boolean;
  /** This is the second run. */
  isReinvocation: boolean;
  /** State that plugins keep between the two runs, by plugin. Default: nothing. */
  pluginContexts?: Map<object, object> | undefined;
}

/** One plugin of the admission chain. Throws an ApiError to refuse. Returns undefined, not a promise, where it has nothing to do. */
export interface AdmissionPlugin {
  /** The name in error messages and in `admissionPlugins`. */
  readonly name: string;
  /** Mutates: may return a changed object. On delete there is no object, and it can only refuse. Default: nothing is changed. */
  admit?(request: AdmissionRequest): Promise<JsonObject | undefined> | undefined;
  /** Validates the object as it will be stored. Default: everything is accepted. */
  validate?(request: AdmissionRequest): Promise<void> | undefined;
}

/** Called after each run of all plugins, for metrics. */
export type AdmissionStepRecorder = (
  step: "admit" | "validate",
  outcome: { readonly operation: AdmissionOperation; readonly seconds: number; readonly rejected: boolean },
) => void;

/** The plugins of a server, in order. */
export interface AdmissionChain {
  readonly plugins: readonly AdmissionPlugin[];
  /** Default: nothing is recorded. */
  readonly recordStep?: AdmissionStepRecorder | undefined;
}

/** Runs the mutating plugins in order, and once more if one requests it; each sees the changes of those before. */
export function runMutatingAdmission(chain: AdmissionChain, request: AdmissionRequest): Promise<JsonObject | undefined> {
  return measureStep(chain, "admit", request, mutateObject);
}

/** Runs the validating plugins in order. */
export function runValidatingAdmission(chain: AdmissionChain, request: AdmissionRequest): Promise<void> {
  return measureStep(chain, "validate", request, validateObject);
}

async function measureStep<T>(
  { plugins, recordStep }: AdmissionChain,
  step: "admit" | "validate",
  request: AdmissionRequest,
  run: (plugins: readonly AdmissionPlugin[], request: AdmissionRequest) => Promise<T>,
): Promise<T> {
  if (recordStep === undefined) return run(plugins, request);
  const startedAt = performance.now();
  let rejected = true;
  try {
    const result = await run(plugins, request);
    rejected = false;
    return result;
  } finally {
    recordStep(step, { operation: request.operation, seconds: (performance.now() - startedAt) / 1000, rejected });
  }
}

async function mutateObject(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<JsonObject | undefined> {
  const object = await runMutatingPlugins(plugins, request);
  const { reinvocation } = request;
  if (!reinvocation.requested) return object;
  reinvocation.isReinvocation = true;
  return runMutatingPlugins(plugins, object === request.object ? request : { ...request, object });
}

async function runMutatingPlugins(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<JsonObject | undefined> {
  let seen = request;
  for (const plugin of plugins) {
    const pending = plugin.admit?.(seen);
    const object = pending === undefined ? undefined : await pending;
    if (object !== undefined) seen = { ...request, object };
  }
  return seen.object;
}

async function validateObject(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<void> {
  for (const plugin of plugins) {
    const pending = plugin.validate?.(request);
    if (pending !== undefined) await pending;
  }
}
