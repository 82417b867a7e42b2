import { backgroundClock, type Clock, type Random } from "pintle/internal/clock";
import type { FlightRecorder } from "pintle/internal/recorder";
import type { CertificateAuthority } from "pintle/tls";
import { type AccessControl, createAccessControl } from "../access/index.ts";
import {
  type ConfiguredAdmission,
  createConfiguredAdmission,
  createWebhookClient,
  orderAdmissionPlugins,
  type ServiceRoutes,
  type WebhookClientOptions,
} from "../admission/index.ts";
import {
  type AdmissionPlugin,
  APISERVER,
  type ApiResponse,
  type ApiServer,
  createApiServer,
  DEFAULT_HTTP_LIMITS,
  type OpenApiSource,
  type ServedResource,
  type TokenAuthenticator,
  type VersionInfo,
} from "../api/index.ts";
import {
  createBuiltinAdmissionPlugins,
  createBuiltinResources,
  createServiceAllocator,
  type ServiceAllocator,
  watchServices,
} from "../builtin/index.ts";
import type { ControllerName } from "../controllers/index.ts";
import { type FlowControlOptions, type RunningFlowControl, startFlowControl } from "../flowcontrol/index.ts";
import { METRICS_CONTENT_TYPE, type ServerMetrics } from "../metrics/index.ts";
import { createOpenApiPublisher } from "../openapi/index.ts";
import type { ObjectStore } from "../store/index.ts";
import {
  addMetricsDocument,
  createMetricsResources,
  createStreamSubresources,
  type NodeRegistry,
  registerMetricsApiService,
} from "../streams/index.ts";
import type { ClusterOptions } from "./cluster-options.ts";

export interface ApiServerWiringOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  /** Random source for values that are not stored. */
  readonly jitter: Random;
  readonly version: VersionInfo;
  /** Returns the address of the server. */
  readonly address: () => string;
  readonly signingKey?: string | undefined;
  readonly options: ClusterOptions;
  readonly metrics: ServerMetrics;
  /** Routes of webhook Services. */
  readonly routes: ServiceRoutes;
  /** Nodes that serve logs, exec, port-forward and metrics. */
  readonly nodes: NodeRegistry;
  /** Signs the client certificate for remote kubelets. */
  readonly authority: CertificateAuthority;
  /** Faults to inject into webhook calls. */
  readonly getWebhookFaults?: WebhookClientOptions["getWebhookFaults"];
  /** Records the runs of the controllers inside the server. Default: nothing is recorded. */
  readonly recorder?: FlightRecorder | undefined;
}

/** A running API server. */
export interface RunningApiServer {
  readonly server: ApiServer;
  readonly tokens: TokenAuthenticator;
  readonly flowControl: RunningFlowControl | undefined;
  stop(): void;
}

/** Admission plugins that rely on a controller, and are disabled without it. */
const PLUGIN_CONTROLLERS: Readonly<Record<string, ControllerName>> = {
  ServiceAccount: "serviceaccount-controller",
  StorageObjectInUseProtection: "persistentvolumeclaim-protection-controller",
  TaintNodesByCondition: "node-lifecycle-controller",
};

/** Its certificate proves the server's identity to kubelets. It has no rights here: a forged Node status must not lend it any. */
const KUBELET_CLIENT = { commonName: "kube-apiserver-kubelet-client", organizations: [] };

/** Starts an API server on a store. */
export async function startApiServer(wiring: ApiServerWiringOptions): Promise<RunningApiServer> {
  const { store, clock, random, version, address, signingKey, options, metrics } = wiring;
  const access = await createAccessControl({
    store,
    clock,
    random,
    mode: options.authorizationMode ?? ["Node", "RBAC"],
    tokens: options.tokens ?? {},
    address,
    signingKey: options.accounts?.signingKey ?? signingKey,
    accounts: options.accounts,
  });
  const serviceAllocator = createServiceAllocator(random, options.services);
  const stopWatchingServices = await watchServices(store, serviceAllocator);
  const webhooks = createWebhookClient(wiring);
  const configured = await createConfiguredAdmission({
    store,
    jitter: wiring.jitter,
    authorizer: access.authorizer,
    webhookClient: webhooks,
    recordWebhook(name, type, outcome) {
      metrics.admission.recordWebhook(name, type, outcome);
      wiring.recorder?.record({
        type: "webhook",
        webhook: name,
        kind: type === "admit" ? "mutating" : "validating",
        operation: outcome.operation,
        request: outcome.auditId,
        allowed: outcome.code === 200,
        code: outcome.code,
        duration: Math.round(outcome.seconds * 1e6) / 1e3,
      });
    },
  });
  const flowControl = options.limits?.priorityAndFairness === false ? undefined : await startFlowControl(getFlowControlOptions(wiring));
  // An API server alone has no nodes that report metrics.
  const hasMetrics = options.without !== true && options.resources === undefined;
  const withMetricsDocument = (openapi: OpenApiSource) => (hasMetrics ? addMetricsDocument(openapi) : openapi);
  const server: ApiServer = await createApiServer({
    store,
    clock,
    random,
    authorizer: access.authorizer,
    impersonation: access.impersonation,
    flowControl,
    pages: { ...access.pages, "/metrics": () => renderMetrics(metrics) },
    resources: options.resources ?? createResources(wiring, access, serviceAllocator),
    openapi: (crds) => withMetricsDocument(createOpenApiPublisher(crds, version.gitVersion)),
    version,
    admission: createAdmissionPlugins(wiring, access, configured, (name) => createNamespace(server, name)),
    featureGates: options.featureGates,
    admissionObserver: metrics.admission,
    recorder: wiring.recorder,
    webhooks,
    namespaceLifecycle: options.admissionPlugins?.disable?.includes("NamespaceLifecycle") !== true,
  });
  if (hasMetrics) {
    server.registry.set("metrics", createMetricsResources({ nodes: wiring.nodes, store, clock }));
    await registerMetricsApiService({ store, clock, random });
  }
  return {
    server,
    tokens: access.authenticator,
    flowControl,
    stop() {
      server.stop();
      configured.stop();
      webhooks.stop();
      access.stop();
      flowControl?.stop();
      stopWatchingServices();
    },
  };
}

/** The built-in kinds, with the handlers of reviews and of streams to nodes. */
function createResources(
  { store, clock, nodes, authority, options }: ApiServerWiringOptions,
  access: AccessControl,
  serviceAllocator: ServiceAllocator,
): readonly ServedResource[] {
  const streams = createStreamSubresources({
    nodes,
    store,
    clock,
    clientKeys: () => authority.issueClientCertificate(KUBELET_CLIENT),
    loopbackKubelets: options.loopbackKubelets ?? [],
    hasLoopbackPods: isLoopback(options),
  });
  const overrides = { ...access.kinds, ...streams };
  return createBuiltinResources({ store, serviceAllocator, loopbackEndpoints: isLoopback(options), overrides });
}

/** The admission plugins in order: built-in ones, those of the options, webhooks and policies, and last those of access control. */
function createAdmissionPlugins(
  { store, clock, random, options }: ApiServerWiringOptions,
  access: AccessControl,
  configured: ConfiguredAdmission,
  createMissingNamespace: (name: string) => Promise<string | undefined>,
): readonly AdmissionPlugin[] {
  const { enable = [], eventRateLimits, imagePolicy } = options.admissionPlugins ?? {};
  const disabledPlugins = listPluginsWithoutController(options.without ?? []).filter((name) => !enable.includes(name));
  const builtin = createBuiltinAdmissionPlugins({
    store,
    clock,
    random,
    authorizer: access.authorizer,
    disabledPlugins,
    eventRateLimits,
    imagePolicy,
    createNamespace: createMissingNamespace,
  });
  const plugins = [...builtin, ...(options.admission ?? []), ...configured.plugins];
  return [...orderAdmissionPlugins(plugins, options.admissionPlugins), ...access.admission];
}

/** Creates a namespace as the API server itself; one that exists by now is as good. */
async function createNamespace(server: ApiServer, name: string): Promise<string | undefined> {
  const { status, body } = await server.handle({
    method: "POST",
    path: "/api/v1/namespaces",
    query: new Map(),
    headers: { "user-agent": "kube-apiserver" },
    user: APISERVER,
    body: { json: { apiVersion: "v1", kind: "Namespace", metadata: { name } } },
    signal: () => new AbortController().signal,
  });
  if (status === 201 || status === 409 || body.type !== "json") return undefined;
  return (body.value as { readonly message?: string }).message ?? `namespace ${name} could not be created`;
}

function renderMetrics(metrics: ServerMetrics): ApiResponse {
  const headers = { "content-type": METRICS_CONTENT_TYPE };
  return { status: 200, headers, body: { type: "bytes", bytes: Buffer.from(metrics.render()) } };
}

/** As kube-apiserver: a request may wait for a quarter of its time. */
function getFlowControlOptions({ store, options }: ApiServerWiringOptions): FlowControlOptions {
  const {
    requestTimeout = DEFAULT_HTTP_LIMITS.requestTimeout,
    maxRequestsInFlight = 400,
    maxMutatingRequestsInFlight = 200,
  } = options.limits ?? {};
  return { store, clock: backgroundClock, maxSeats: maxRequestsInFlight + maxMutatingRequestsInFlight, maxWait: requestTimeout / 4 };
}

/** With loopback service addresses, endpoints are loopback addresses too. */
const isLoopback = ({ services }: ClusterOptions) => services?.clusterIps?.startsWith("127.") === true;

function listPluginsWithoutController(without: true | readonly ControllerName[]): readonly string[] {
  return Object.keys(PLUGIN_CONTROLLERS).filter((plugin) => without === true || without.includes(PLUGIN_CONTROLLERS[plugin]!));
}
