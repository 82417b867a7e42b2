import type { Clock, Random } from "pintle/queue";
import { accessControl } from "./access/index.ts";
import { type CallerOptions, caller, chain, configuredAdmission, type ServiceRoutes } from "./admission/index.ts";
import { type ApiServer, apiServer, type OpenApi, type TokenAuthenticator, type VersionInfo } from "./api/index.ts";
import { builtinAdmission, builtinResources, followServices, serviceAddresses } from "./builtin/index.ts";
import type { ClusterOptions } from "./cluster-options.ts";
import type { PartName } from "./controllers/index.ts";
import { publishedApi } from "./published.ts";
import type { Store } from "./store/index.ts";
import { metricsResources, metricsService, type NodeRegistry, streamConnections, withMetrics } from "./streams/index.ts";
import type { Authority } from "./tls/index.ts";

export interface ServingOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** For what no stored value depends on. */
  readonly jitter: Random;
  readonly version: VersionInfo;
  /** Where the server is reached. */
  readonly address: () => string;
  readonly signingKey?: string | undefined;
  readonly options: ClusterOptions;
  /** Where Services are that webhooks are called by. */
  readonly routes: ServiceRoutes;
  /** The nodes that are asked for logs and the like. */
  readonly nodes: NodeRegistry;
  /** Signs what the server shows to kubelets elsewhere. */
  readonly authority: Authority;
  /** What happens to calls of webhooks. */
  readonly disturb?: CallerOptions["disturb"];
}

/** An API server at work. */
export interface Serving {
  readonly server: ApiServer;
  readonly tokens: TokenAuthenticator;
  stop(): void;
}

/** Admission plugins that leave things to a controller: without it they would be left undone. */
const ATTENDED: Readonly<Record<string, PartName>> = {
  ServiceAccount: "serviceaccount-controller",
  StorageObjectInUseProtection: "persistentvolumeclaim-protection-controller",
  TaintNodesByCondition: "node-lifecycle-controller",
};

const KUBELET_CLIENT = { commonName: "kube-apiserver-kubelet-client", organizations: ["system:masters"] };

/** Puts an API server on a store: what it knows beside, it finds there. */
export async function serving(given: ServingOptions): Promise<Serving> {
  const { store, clock, random, version, address, signingKey, options } = given;
  const access = await accessControl({
    store,
    clock,
    random,
    mode: options.authorizationMode ?? "RBAC",
    tokens: options.tokens ?? {},
    address,
    signingKey: options.accounts?.signingKey ?? signingKey,
    accounts: options.accounts,
  });
  const addresses = serviceAddresses(random, options.services);
  const forgetServices = await followServices(store, addresses);
  const webhooks = caller(given);
  const configured = await configuredAdmission({ store, jitter: given.jitter, authorizer: access.authorizer, caller: webhooks });
  const { enable = [], disable = [] } = options.admissionPlugins ?? {};
  const without = unattended(options.without ?? []).filter((name) => !enable.includes(name));
  const { nodes, authority } = given;
  const streams = streamConnections({ nodes, store, clock, client: () => authority.client(KUBELET_CLIENT) });
  // An API server alone has no nodes to ask.
  const hasMetrics = options.without !== true && options.resources === undefined;
  const published = (openapi: OpenApi) => (hasMetrics ? withMetrics(openapi) : openapi);
  const server = await apiServer({
    store,
    clock,
    random,
    authorizer: access.authorizer,
    impersonation: access.impersonation,
    pages: access.pages,
    resources:
      options.resources ??
      builtinResources({ store, addresses, loopbackEndpoints: isLoopback(options), more: { ...access.kinds, ...streams } }),
    openapi: (crds) => published(publishedApi(crds, version.gitVersion)),
    version,
    admission: [
      ...chain(
        [
          ...builtinAdmission({ store, clock, random, authorizer: access.authorizer, without }),
          ...(options.admission ?? []),
          ...configured.plugins,
        ],
        options.admissionPlugins,
      ),
      ...access.admission,
    ],
    webhooks,
    namespaceLifecycle: !disable.includes("NamespaceLifecycle"),
  });
  if (hasMetrics) {
    server.registry.set("metrics", metricsResources({ nodes, store, clock }));
    await metricsService({ store, clock, random });
  }
  return {
    server,
    tokens: access.authenticator,
    stop() {
      server.stop();
      configured.stop();
      webhooks.stop();
      access.stop();
      forgetServices();
    },
  };
}

/** Where services are on loopback, so are the pods behind them. */
const isLoopback = ({ services }: ClusterOptions) => services?.clusterIps?.startsWith("127.") === true;

function unattended(without: true | readonly PartName[]): readonly string[] {
  return Object.keys(ATTENDED).filter((plugin) => without === true || without.includes(ATTENDED[plugin]!));
}
