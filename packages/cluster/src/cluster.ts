import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Transport } from "pintle/client";
import type { Clock, Random } from "pintle/queue";
import { type AuthorizationMode, accessControl } from "./access/index.ts";
import {
  ADMIN,
  type AdmissionPlugin,
  type ApiServer,
  apiServer,
  backgroundClock,
  inProcessTransport,
  type Listener,
  listenPlainly,
  listenSecurely,
  type ServedResource,
  type TokenAuthenticator,
  type UserInfo,
  versionInfo,
} from "./api/index.ts";
import { announce, bootstrap } from "./bootstrap/index.ts";
import { builtinAdmission, builtinResources, followServices, serviceAddresses } from "./builtin/index.ts";
import { controlPlane } from "./control-plane.ts";
import type { PartName } from "./controllers/index.ts";
import { credentials } from "./credentials.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { publishedApi } from "./published.ts";
import { type OpenStore, openStore, type Store, type StoreChoice } from "./store/index.ts";
import type { Authority } from "./tls/index.ts";

export interface ClusterOptions {
  /** Serve HTTPS on loopback: true for any free port, or the port. Default: only in this process. */
  readonly http?: boolean | number | undefined;
  /** Also serve plain HTTP on loopback, where everybody is an administrator. */
  readonly plainHttp?: boolean | number | undefined;
  readonly clock?: Clock | undefined;
  /** Source of generated names and uids; default Math.random. */
  readonly random?: Random | undefined;
  /** What /version says: "v1.36.3". */
  readonly kubernetesVersion?: string | undefined;
  /** Bearer tokens and whom they stand for. */
  readonly tokens?: Readonly<Record<string, UserInfo>> | undefined;
  /** What decides who may do what. Default: RBAC, with the roles of a fresh server; the administrator may do everything. */
  readonly authorizationMode?: AuthorizationMode | undefined;
  /** Where objects are kept, with the keys that kubeconfigs and tokens go by. Default: in memory. A store of one's own is not closed. */
  readonly store?: StoreChoice | Store | undefined;
  readonly admission?: readonly AdmissionPlugin[] | undefined;
  /** Parts of the control plane that do not run; true leaves the API server alone, as envtest does. Default: none is left out. */
  readonly without?: true | readonly PartName[] | undefined;
  /** How many simulated nodes run the pods. Default: 1, and none in an API server alone. */
  readonly nodes?: number | undefined;
  /** The built-in kinds; default: those of a stock server. */
  readonly resources?: readonly ServedResource[] | undefined;
}

export interface Cluster extends AsyncDisposable {
  /** https://127.0.0.1:port; empty when it is served in this process only. */
  readonly url: string;
  /** http://127.0.0.1:port, when asked for; else empty. */
  readonly plainUrl: string;
  /** For kubectl and everybody else, as an administrator; empty when it is served in this process only. */
  readonly kubeconfig: string;
  /** Straight into this cluster, as an administrator. */
  readonly transport: Transport;
  /** The same as somebody else. */
  transportAs(user: UserInfo): Transport;
  writeKubeconfig(path: string): Promise<void>;
  readonly clock: Clock;
  readonly server: ApiServer;
  /** Resolves when controllers, scheduler and nodes are at work; `startCluster` waits only for the API server. */
  readonly ready: Promise<void>;
  /** Ends the control plane, every watch and every connection. */
  stop(): Promise<void>;
}

const HOST = "127.0.0.1";
const NAMES = [
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
  "localhost",
  HOST,
  "::1",
  "10.96.0.1",
];
/** Admission plugins that leave things to a controller: without it they would be left undone. */
const ATTENDED: Readonly<Record<string, PartName>> = {
  ServiceAccount: "serviceaccount-controller",
  StorageObjectInUseProtection: "persistentvolumeclaim-protection-controller",
  TaintNodesByCondition: "node-lifecycle-controller",
};
/** What a server that is not served over HTTPS says its port is. */
const USUAL_PORT = 6443;

/** Starts a control plane in this process: an API server that answers like Kubernetes, with nothing to install. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { store: chosen = "memory" } = options;
  if (typeof chosen === "object" && "txn" in chosen) return clusterOn({ store: chosen }, options, async () => {});
  const opened = await openStore(chosen);
  try {
    return await clusterOn(opened, options, () => opened.store.close());
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}

async function clusterOn(opened: OpenStore, options: ClusterOptions, closeStore: () => Promise<void>): Promise<Cluster> {
  const { clock = backgroundClock, random = Math.random } = options;
  const version = versionInfo(options.kubernetesVersion ?? "v1.36.3");
  const { store } = opened;
  const { authority: ca, signingKey } = await credentials(opened);
  const birth = { now: clock.now(), random };
  await bootstrap(store, birth);
  const listeners: Listener[] = [];
  const port = (wanted: boolean | number | undefined) => (typeof wanted === "number" ? wanted : 0);
  let url = "";
  let plainUrl = "";
  let config = "";
  const access = await accessControl({
    store,
    clock,
    random,
    mode: options.authorizationMode ?? "RBAC",
    tokens: options.tokens ?? {},
    address: () => url,
    signingKey,
  });
  const addresses = serviceAddresses(random);
  const forgetServices = await followServices(store, addresses);
  const server = await apiServer({
    store,
    clock,
    random,
    authorizer: access.authorizer,
    impersonation: access.impersonation,
    pages: access.pages,
    resources: options.resources ?? builtinResources({ store, addresses, more: access.kinds }),
    openapi: (crds) => publishedApi(crds, version.gitVersion),
    version,
    admission: [
      ...builtinAdmission({ store, clock, random, without: unattended(options.without ?? []) }),
      ...(options.admission ?? []),
      ...access.admission,
    ],
  });
  const transport = inProcessTransport(server);

  let securePort = USUAL_PORT;
  if (options.http !== undefined && options.http !== false) {
    const listen = (at: number) => secure(server, ca, at, access.authenticator);
    const listener = await (options.http === true ? listenAgain(await portBefore(store), listen) : listen(options.http));
    listeners.push(listener);
    securePort = listener.port;
    url = `https://${HOST}:${listener.port}`;
    const client = ca.client({ commonName: ADMIN.name, organizations: ["system:masters"] });
    config = kubeconfig("pintle", { server: url, authority: ca.certificate, client });
  }
  if (options.plainHttp !== undefined && options.plainHttp !== false) {
    const listener = await listenPlainly(server, { host: HOST, port: port(options.plainHttp), tokens: access.authenticator, user: ADMIN });
    listeners.push(listener);
    plainUrl = `http://${HOST}:${listener.port}`;
    if (config === "") config = kubeconfig("pintle", { server: plainUrl });
  }

  await announce(store, { ...birth, clientAuthority: ca.certificate, port: securePort });

  const transports = new Set([transport]);
  const own = (made: Transport) => {
    transports.add(made);
    return made;
  };
  const plane =
    options.without === true
      ? undefined
      : controlPlane({
          transport: own(inProcessTransport(server, { liveness: backgroundClock })),
          clock,
          random,
          version,
          authority: ca.certificate,
          nodes: options.nodes ?? 1,
          // Where time is made to pass, a week should not cost sixty thousand heartbeats.
          leaseSeconds: options.clock === undefined ? 40 : 3600,
          without: options.without ?? [],
        });
  const stop = async () => {
    await plane?.stop();
    server.stop();
    access.stop();
    forgetServices();
    await Promise.all([...transports].map((each) => each.close()));
    await Promise.all(listeners.map((each) => each.close()));
    await closeStore();
  };
  return {
    url,
    plainUrl,
    kubeconfig: config,
    transport,
    transportAs: (user) => own(inProcessTransport(server, { user })),
    async writeKubeconfig(path) {
      await mkdir(dirname(path), { recursive: true });
      // It holds the administrator's key.
      await writeFile(path, config, { mode: 0o600 });
    },
    clock,
    server,
    ready: plane?.ready ?? Promise.resolve(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function unattended(without: true | readonly PartName[]): readonly string[] {
  return Object.keys(ATTENDED).filter((plugin) => without === true || without.includes(ATTENDED[plugin]!));
}

/** The port at which the cluster was reached before a restart, so that old kubeconfigs lead to it; 0 for any. */
async function portBefore(store: Store): Promise<number> {
  const service = (await store.get("/registry/services/specs/default/kubernetes"))?.value as
    | { readonly spec: { readonly ports: readonly { readonly targetPort: unknown }[] } }
    | undefined;
  const port = service?.spec.ports[0]?.targetPort;
  return typeof port === "number" ? port : 0;
}

/** At the port, or at any if somebody else has it by now. */
async function listenAgain(port: number, listen: (port: number) => Promise<Listener>): Promise<Listener> {
  try {
    return await listen(port);
  } catch (error) {
    if (port === 0 || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return listen(0);
  }
}

function secure(server: ApiServer, ca: Authority, port: number, tokens: TokenAuthenticator) {
  const keys = ca.server({ commonName: "kube-apiserver" }, NAMES);
  return listenSecurely(server, { host: HOST, port, keys, clientAuthority: ca.certificate, tokens });
}
