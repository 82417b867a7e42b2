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

/** The two runs of the plugins; plugins have a method of this name. */
export type AdmissionStep = "admit" | "validate";

/** The operation of an observed call, and how it ended. */
export interface AdmissionOutcome {
  readonly operation: AdmissionOperation;
  readonly seconds: number;
  readonly rejected: boolean;
}

/** Observes admission, for metrics. */
export interface AdmissionObserver {
  /** Called after each call of a plugin that had something to do. */
  recordPlugin(name: string, step: AdmissionStep, outcome: AdmissionOutcome): void;
  /** Called after each run of all plugins. */
  recordStep(step: AdmissionStep, outcome: AdmissionOutcome): void;
}

/** The plugins of a server, in order. */
export interface AdmissionChain {
  readonly plugins: readonly AdmissionPlugin[];
  /** Default: nothing is recorded. */
  readonly observer?: AdmissionObserver | undefined;
}

/** Runs the mutating plugins in order, and once more if one requests it; each sees the changes of those before. */
export function runMutatingAdmission(chain: AdmissionChain, request: AdmissionRequest): Promise<JsonObject | undefined> {
  return observeStep(chain, "admit", request, mutateObject);
}

/** Runs the validating plugins in order. */
export function runValidatingAdmission(chain: AdmissionChain, request: AdmissionRequest): Promise<void> {
  return observeStep(chain, "validate", request, validateObject);
}

async function observeStep<T>(
  chain: AdmissionChain,
  step: AdmissionStep,
  request: AdmissionRequest,
  run: (chain: AdmissionChain, request: AdmissionRequest) => Promise<T>,
): Promise<T> {
  if (chain.observer === undefined) return run(chain, request);
  const startedAt = performance.now();
  let rejected = true;
  try {
    const result = await run(chain, request);
    rejected = false;
    return result;
  } finally {
    chain.observer.recordStep(step, { operation: request.operation, seconds: (performance.now() - startedAt) / 1000, rejected });
  }
}

async function mutateObject(chain: AdmissionChain, request: AdmissionRequest): Promise<JsonObject | undefined> {
  const object = await runPlugins(chain, "admit", request);
  const { reinvocation } = request;
  if (!reinvocation.requested) return object;
  reinvocation.isReinvocation = true;
  return runPlugins(chain, "admit", object === request.object ? request : { ...request, object });
}

async function validateObject(chain: AdmissionChain, request: AdmissionRequest): Promise<void> {
  await runPlugins(chain, "validate", request);
}

/** Calls a method of all plugins in order. Returns the object after the changes of mutating ones. */
async function runPlugins(
  { plugins, observer }: AdmissionChain,
  step: AdmissionStep,
  request: AdmissionRequest,
): Promise<JsonObject | undefined> {
  let seen = request;
  let startedAt = performance.now();
  for (const plugin of plugins) {
    const pending = plugin[step]?.(seen);
    // Most plugins have nothing to do for most requests. Only the others are observed, and cost allocations.
    if (pending === undefined) continue;
    let rejected = true;
    try {
      const object = await pending;
      if (object !== undefined) seen = { ...request, object };
      rejected = false;
    } finally {
      if (observer !== undefined) {
        const endedAt = performance.now();
        observer.recordPlugin(plugin.name, step, { operation: request.operation, seconds: (endedAt - startedAt) / 1000, rejected });
        startedAt = endedAt;
      }
    }
  }
  return seen.object;
}
