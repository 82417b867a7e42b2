import { backgroundClock, type Clock, type Random, seededRandom, systemClock } from "pintle/internal/clock";
import { extendObject } from "pintle/internal/json";
import { createRunRecorder, type FlightRecorder } from "pintle/internal/recorder";
import type { JsonObject } from "pintle/kinds";
import { ApiError, badRequest, internalError } from "../status/index.ts";
import { type ObjectStore, StoreError } from "../store/index.ts";
import { eventLoopTurns, undividedTurns } from "../turns/index.ts";
import type { AdmissionObserver, AdmissionPlugin } from "./admission/admission-chain.ts";
import { createAdmissionLookup } from "./admission/admission-request.ts";
import { createNamespaceLifecycle } from "./admission/namespace-lifecycle.ts";
import { startApiServiceController } from "./crd/api-service-controller.ts";
import { startCrdController } from "./crd/crd-controller.ts";
import { CRD_GROUP, CRD_PLURAL, createCrdResource } from "./crd/crd-resource.ts";
import { createLoopbackWrites } from "./crd/loopback-writes.ts";
import { type ConversionWebhookClient, unavailableConversionWebhookClient } from "./crd/webhook-client.ts";
import { JSON_TYPE, negotiateMediaType } from "./encoding/negotiate.ts";
import { generateUid } from "./metadata/generate-name.ts";
import { runEntryStages, runPipeline } from "./pipeline.ts";
import { createRegistry, type ResourceRegistry } from "./registry/registry.ts";
import type { ServedResource } from "./registry/served-resource.ts";
import { type ApiRequest, type ApiResponse, getHeader, type HttpHeaders, type MediaType } from "./request/api-request.ts";
import type { Authorizer } from "./request/authorizer.ts";
import { type FlowClassification, type FlowControl, TooManyRequestsError } from "./request/flow-control.ts";
import { type Impersonator, RequestContext, type ServerDependencies } from "./request-context.ts";
import { createNonResourceRoutes } from "./routes/non-resource-routes.ts";
import type { OpenApiSource } from "./routes/openapi-source.ts";
import { PathNotFound, pathNotFoundResponse } from "./routes/path-not-found.ts";
import type { VersionInfo } from "./routes/version-info.ts";
import { createStorageCodec } from "./storage/storage-codec.ts";
import { createWatchEventCache } from "./watch/watch-event-cache.ts";
import { createWatchMultiplexer } from "./watch/watch-multiplexer.ts";

/** Alpha features of Kubernetes 1.36 that can be enabled, by the names of --feature-gates. */
export interface FeatureGates {
  /** `shardSelector` on list and watch. Default: false, it is ignored. */
  readonly ShardedListAndWatch?: boolean | undefined;
}

export interface ApiServerOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  /** Source of names and uids, drawn in the order in which objects are created. */
  readonly random: Random;
  readonly authorizer: Authorizer;
  /** Limits requests in execution. Default: none. */
  readonly flowControl?: FlowControl | undefined;
  /** Resolves the user of the Impersonate-* headers. Default: they are ignored. */
  readonly impersonation?: Impersonator | undefined;
  /** Further pages, by path: "/openid/v1/jwks". */
  readonly pages?: Readonly<Record<string, () => ApiResponse>> | undefined;
  /** The built-in kinds. With CustomResourceDefinition among them, custom resources are served too. */
  readonly resources: readonly ServedResource[];
  /** Creates the source of OpenAPI documents from the current CRDs. */
  openapi(crds: () => readonly JsonObject[]): OpenApiSource;
  readonly version: VersionInfo;
  /** Admission plugins, in order. */
  readonly admission: readonly AdmissionPlugin[];
  /** Observes the admission plugins. Default: nothing is recorded. */
  readonly admissionObserver?: AdmissionObserver | undefined;
  readonly featureGates?: FeatureGates | undefined;
  /** Whether NamespaceLifecycle runs as the first plugin. Default: true. */
  readonly namespaceLifecycle?: boolean | undefined;
  /** Calls conversion webhooks. Default: conversion by webhook fails. */
  readonly webhooks?: ConversionWebhookClient | undefined;
  /** Records the runs of the controllers inside the server. Default: nothing is recorded. */
  readonly recorder?: FlightRecorder | undefined;
  /** Reports an internal error of the server. Default: to stderr. */
  readonly reportInternalError?: ((fault: unknown, request: ApiRequest) => void) | undefined;
}

export interface ApiServer {
  readonly registry: ResourceRegistry;
  readonly store: ObjectStore;
  /** Executes a request; errors become responses. Rejects only if authentication fails. */
  handle(request: ApiRequest): Promise<ApiResponse>;
  /** The same behind the interceptors: request info and user are on the context. Never rejects. */
  handleContext(context: RequestContext): Promise<ApiResponse>;
  stop(): void;
}

/** Creates an API server: the request pipeline on a store. */
export async function createApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { store, clock, random, authorizer, resources, reportInternalError = reportToStderr } = options;
  const jitter = seededRandom(random() * 2 ** 32);
  const registry = createRegistry();
  // A virtual clock promises the same order of events in every run.
  const turnQueue = clock === systemClock || clock === backgroundClock ? eventLoopTurns : undividedTurns;
  const storageCodec = createStorageCodec(turnQueue);
  let listDefinitions: () => readonly JsonObject[] = () => [];
  const openapi = options.openapi(() => listDefinitions());
  const dependencies: ServerDependencies = {
    store,
    clock,
    turnQueue,
    random,
    jitter,
    authorizer,
    shardedListAndWatch: options.featureGates?.ShardedListAndWatch === true,
    impersonator: options.impersonation,
    flowControl: options.flowControl,
    registry,
    storageCodec,
    watchEventCache: createWatchEventCache(),
    watchMultiplexer: createWatchMultiplexer(),
    admissionLookup: createAdmissionLookup({ registry, store, storageCodec }),
    serveNonResource: createNonResourceRoutes({
      registry,
      openapi,
      version: options.version,
      checkStore: async () => store.checkHealth?.(),
      pages: options.pages ?? {},
    }),
    admissionChain: {
      plugins: options.namespaceLifecycle === false ? options.admission : insertNamespaceLifecycle(store, options.admission),
      observer: options.admissionObserver,
    },
  };
  const conversion = { client: options.webhooks ?? unavailableConversionWebhookClient, jitter };
  const isCrd = ({ group, plural }: ServedResource) => group === CRD_GROUP && plural === CRD_PLURAL;
  registry.set(
    "built-in",
    resources.map((each) => (isCrd(each) ? createCrdResource(each) : each)),
  );
  const crdController = resources.some(isCrd)
    ? await startCrdController({ store, registry, clock, conversion, runs: recordRuns("crd-controller"), ...createLoopbackWrites(execute) })
    : undefined;
  if (crdController !== undefined) listDefinitions = crdController.listDefinitions;
  // APIServices take their uids from `jitter`, so that those of client objects stay the same.
  const stopApiServices =
    crdController === undefined
      ? undefined
      : await startApiServiceController({ store, clock, random: jitter, runs: recordRuns("apiservice-controller") });
  const stop = () => {
    crdController?.stop();
    stopApiServices?.();
  };
  return { registry, store, handle, handleContext, stop };

  async function handle(request: ApiRequest): Promise<ApiResponse> {
    return (await execute(request)).response;
  }

  async function execute(request: ApiRequest) {
    const context = new RequestContext(request);
    context.auditId = getHeader(request.headers, "audit-id") ?? generateUid(jitter);
    await runEntryStages(context);
    return { response: await handleContext(context), commits: context.commits ?? [] };
  }

  function recordRuns(controller: string) {
    return options.recorder && createRunRecorder(options.recorder, { controller, now: () => clock.monotonic(), recordsEnqueues: false });
  }

  async function handleContext(context: RequestContext): Promise<ApiResponse> {
    context.server = dependencies;
    const response = await respond(context);
    releaseTicket(context, response);
    const headers = extendObject(buildCommonHeaders(context), response.headers);
    const warning = context.warnings.headerValues();
    return { ...response, headers: warning === undefined ? headers : { ...headers, warning } };
  }

  async function respond(context: RequestContext): Promise<ApiResponse> {
    const { request } = context;
    try {
      return await runPipeline(context);
    } catch (error) {
      if (error instanceof PathNotFound) return pathNotFoundResponse;
      if (error instanceof TooManyRequestsError) return buildTooManyRequestsResponse(error);
      if (error instanceof ApiError) return buildErrorResponse(request, error);
      if (error instanceof StoreError) return buildErrorResponse(request, internalError(error.message));
      if (isStackOverflow(error)) return buildErrorResponse(request, badRequest("the object is nested too deeply"));
      reportInternalError(error, request);
      return buildErrorResponse(request, internalError(error instanceof Error ? error.message : String(error)));
    }
  }
}

/** NamespaceLifecycle runs first, except for the plugin that creates missing namespaces. */
function insertNamespaceLifecycle(store: ObjectStore, plugins: readonly AdmissionPlugin[]): readonly AdmissionPlugin[] {
  const provision = plugins.filter(({ name }) => name === "NamespaceAutoProvision");
  return [...provision, createNamespaceLifecycle(store), ...plugins.filter((plugin) => !provision.includes(plugin))];
}

/** Objects may be as deep as the call stack of the engine allows. */
function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes("call stack");
}

function reportToStderr(fault: unknown, { method, path }: ApiRequest): void {
  console.error(`@pintle/cluster: ${method} ${path} failed with an internal error:`, fault);
}

/** Builds the response for an error, in the media type that the client accepts. */
export function buildErrorResponse(request: Pick<ApiRequest, "headers">, error: ApiError): ApiResponse {
  const retry = error.details?.retryAfterSeconds;
  const type = negotiateErrorMediaType(request.headers);
  return {
    status: error.code,
    headers: { "content-type": type, ...(retry === undefined ? {} : { "retry-after": String(retry) }) },
    body: { type: "json", value: error.status, mediaType: type },
  };
}

function negotiateErrorMediaType(headers: HttpHeaders): MediaType {
  try {
    return negotiateMediaType(getHeader(headers, "accept"), true).mediaType;
  } catch {
    return JSON_TYPE;
  }
}

function buildCommonHeaders({ auditId, flowTicket }: RequestContext): HttpHeaders {
  if (flowTicket === undefined) return { "audit-id": auditId, "cache-control": "no-cache, private" };
  return { "audit-id": auditId, "cache-control": "no-cache, private", ...buildFlowHeaders(flowTicket.classification) };
}

function buildFlowHeaders({ flowSchemaUid, priorityLevelUid }: FlowClassification): HttpHeaders {
  return { "x-kubernetes-pf-flowschema-uid": flowSchemaUid, "x-kubernetes-pf-prioritylevel-uid": priorityLevelUid };
}

/** Frees the seat of a request: of a stream when it starts, otherwise when its response is written. */
function releaseTicket({ flowTicket, request }: RequestContext, { body }: ApiResponse): void {
  if (flowTicket === undefined) return;
  if (request.onWritten === undefined || body.type === "watch") flowTicket.release();
  else request.onWritten({ written: () => flowTicket.release(), becomesLong: () => flowTicket.becomeLong() });
}

/** Written outside of the API machinery, as text. */
export function buildTooManyRequestsResponse({ message, classification, retryAfterSeconds }: TooManyRequestsError): ApiResponse {
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    "retry-after": String(retryAfterSeconds),
    ...buildFlowHeaders(classification),
  };
  return { status: 429, headers, body: { type: "bytes", bytes: Buffer.from(`${message}\n`) } };
}

const TIMEOUT_STATUS = {
  metadata: {},
  status: "Failure",
  message: "Timeout: request did not complete within the allotted timeout",
  reason: "Timeout",
  details: {},
  code: 504,
};

/** Builds the response to a request that took too long. kube-apiserver writes it outside of the pipeline: as text, without kind. */
export function buildTimeoutResponse(context: RequestContext): ApiResponse {
  const headers = extendObject(buildCommonHeaders(context), { "content-type": "text/plain; charset=utf-8" });
  return { status: 504, headers, body: { type: "bytes", bytes: Buffer.from(`${JSON.stringify(TIMEOUT_STATUS)}\n`) } };
}
