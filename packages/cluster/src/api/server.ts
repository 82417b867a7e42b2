import { extended, type JsonObject } from "pintle/kinds";
import { type Clock, type Random, seeded } from "pintle/queue";
import { ApiError, badRequest, internalError } from "../status/index.ts";
import { type Store, StoreError } from "../store/index.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { type Authorizer, authorize } from "./authorizer.ts";
import type { Kernel } from "./call.ts";
import { apiServices } from "./crd/api-services.ts";
import { CRD_GROUP, CRD_PLURAL, crdResource } from "./crd/definition.ts";
import { registrar } from "./crd/registrar.ts";
import { noWebhooks, type WebhookClient } from "./crd/webhook-client.ts";
import { crdWrites } from "./crd/writes.ts";
import { generateUid } from "./metadata/generate-name.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import type { OpenApi } from "./openapi.ts";
import { PageNotFound, pageNotFound } from "./page-not-found.ts";
import { pathRoutes } from "./path-routes.ts";
import { JSON_TYPE, negotiate } from "./present/negotiate.ts";
import { type Registry, registry } from "./registry.ts";
import { type ApiAnswer, type ApiRequest, type Headers, header, type MediaType, param } from "./request.ts";
import { type RequestInfo, requestInfo } from "./request-info.ts";
import type { ServedResource } from "./resource.ts";
import { handleResource } from "./resource-routes.ts";
import { views } from "./stored.ts";
import type { UserInfo } from "./user.ts";
import type { VersionInfo } from "./version-info.ts";
import { warnings } from "./warnings.ts";
import { sharedEvents } from "./watch/shared-events.ts";
import { sharedFollowers } from "./watch/shared-follower.ts";

export interface ApiServerOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Names and uids are drawn from it, in the order objects are created, and nothing else is. */
  readonly random: Random;
  readonly authorizer: Authorizer;
  /** As whom a request is carried out, where its headers ask for somebody else. Default: as whoever sent it. */
  readonly impersonation?: Impersonation | undefined;
  /** Further pages, by path: "/openid/v1/jwks". */
  readonly pages?: Readonly<Record<string, () => ApiAnswer>> | undefined;
  /** The built-in kinds. Where CustomResourceDefinition is one of them, what CRDs define is served too. */
  readonly resources: readonly ServedResource[];
  /** Makes the OpenAPI documents from the CRDs there are at any time. */
  openapi(crds: () => readonly JsonObject[]): OpenApi;
  readonly version: VersionInfo;
  /** Links of the admission chain, in order. */
  readonly admission: readonly AdmissionPlugin[];
  /** Whether namespaces must be there and alive: the first link. Default: yes. */
  readonly namespaceLifecycle?: boolean | undefined;
  /** Who is asked to convert custom resources. Default: nobody can be. */
  readonly webhooks?: WebhookClient | undefined;
  /** Told of what no request should be able to cause: a fault of the server's own. Default: stderr. */
  readonly report?: ((fault: unknown, request: ApiRequest) => void) | undefined;
}

/** Throws 400 for a wish that makes no sense, 403 for one that is not allowed. */
export type Impersonation = (request: Pick<ApiRequest, "headers" | "user">, info: RequestInfo) => Promise<UserInfo>;

export interface ApiServer {
  readonly registry: Registry;
  readonly store: Store;
  /** Answers any request; what goes wrong is an answer too. Never rejects. */
  handle(request: ApiRequest): Promise<ApiAnswer>;
  stop(): void;
}

/** The request pipeline, below HTTP: JSON values in, JSON values out. */
export async function apiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { store, clock, random, authorizer, resources, report = toStderr } = options;
  const jitter = seeded(random() * 2 ** 32);
  const kernel: Kernel = {
    store,
    clock,
    random,
    jitter,
    authorizer,
    registry: registry(),
    views: views(),
    events: sharedEvents(),
    followers: sharedFollowers(),
    admission: options.namespaceLifecycle === false ? options.admission : [namespaceLifecycle(store), ...options.admission],
  };
  const conversion = { client: options.webhooks ?? noWebhooks, jitter };
  const isCrd = ({ group, plural }: ServedResource) => group === CRD_GROUP && plural === CRD_PLURAL;
  kernel.registry.set(
    "built-in",
    resources.map((each) => (isCrd(each) ? crdResource(each) : each)),
  );
  let definitions: () => readonly JsonObject[] = () => [];
  const openapi = options.openapi(() => definitions());
  const routes = pathRoutes({ registry: kernel.registry, openapi, version: options.version, pages: options.pages ?? {} });
  const following = resources.some(isCrd) ? await registrar({ ...kernel, conversion, ...crdWrites(handle) }) : undefined;
  if (following !== undefined) definitions = following.definitions;
  // Their uids are not drawn in the order of what clients create.
  const unfollow = following === undefined ? undefined : await apiServices({ store, clock, random: jitter });
  const stop = () => {
    following?.stop();
    unfollow?.();
  };
  return { registry: kernel.registry, store, handle, stop };

  async function handle(request: ApiRequest): Promise<ApiAnswer> {
    const told = warnings();
    const answer = await respond(request, told.add);
    const warning = told.headers();
    const own = extended(shared(request, jitter), answer.headers);
    const headers = warning.length === 0 ? own : { ...own, warning };
    return { ...answer, headers };
  }

  async function respond(sent: ApiRequest, warn: (text: string) => void): Promise<ApiAnswer> {
    try {
      const info = requestInfo(sent);
      const user = (await options.impersonation?.(sent, info)) ?? sent.user;
      const request = user === sent.user ? sent : { ...sent, user };
      await authorize(authorizer, { user: request.user, info });
      if (sent.query.has("timeout")) checkTimeout(param(sent.query, "timeout"));
      return info.type === "path" ? await routes(request, info) : await handleResource(kernel, request, info, warn);
    } catch (error) {
      if (error instanceof PageNotFound) return pageNotFound;
      if (error instanceof ApiError) return failure(sent, error);
      if (error instanceof StoreError) return failure(sent, internalError(error.message));
      if (isTooDeep(error)) return failure(sent, badRequest("the object is nested too deeply"));
      report(error, sent);
      return failure(sent, internalError(error instanceof Error ? error.message : String(error)));
    }
  }
}

/** As Go reads a span of time; nothing takes long enough here for it to matter. */
function checkTimeout(text: string): void {
  if (text === "" || /^[+-]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return;
  throw badRequest(`invalid timeout specified in the request URL - time: invalid duration ${JSON.stringify(text)}`);
}

/** The engine's stack is as deep as an object may be. */
function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes("call stack");
}

function toStderr(fault: unknown, { method, path }: ApiRequest): void {
  console.error(`@pintle/cluster: ${method} ${path} met a fault of the server's own:`, fault);
}

/** An error as an answer, in the form the client reads. */
export function failure(request: Pick<ApiRequest, "headers">, error: ApiError): ApiAnswer {
  const retry = error.details?.retryAfterSeconds;
  const type = errorType(request.headers);
  return {
    status: error.code,
    headers: { "content-type": type, ...(retry === undefined ? {} : { "retry-after": String(retry) }) },
    body: { type: "json", value: error.status, as: type },
  };
}

function errorType(headers: Headers): MediaType {
  try {
    return negotiate(header(headers, "accept"), true).mediaType;
  } catch {
    return JSON_TYPE;
  }
}

function shared({ headers }: ApiRequest, random: Random): Headers {
  return { "audit-id": header(headers, "audit-id") ?? generateUid(random), "cache-control": "no-cache, private" };
}
