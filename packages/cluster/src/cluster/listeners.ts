import { PintleError } from "pintle/internal/errors";
import type { CertificateAuthority, CertificateKeyPair } from "pintle/tls";
import {
  ADMIN,
  type ApiServer,
  DEFAULT_HTTP_LIMITS,
  type HttpLimits,
  type Listener,
  listenHttp,
  listenHttps,
  type TokenAuthenticator,
} from "../api/index.ts";
import { getFirstAddress } from "../builtin/index.ts";
import type { ObjectStore } from "../store/index.ts";
import type { ClusterOptions, HttpsOptions, ServerLimits } from "./cluster-options.ts";

export interface ListenersOptions {
  readonly server: Pick<ApiServer, "handle">;
  readonly tokens: TokenAuthenticator;
  readonly store: ObjectStore;
  readonly authority: CertificateAuthority;
  readonly options: Pick<ClusterOptions, "http" | "plainHttp" | "from" | "services" | "limits">;
}

/** Network listeners of a cluster. */
export interface Listeners {
  /** Empty without an HTTPS listener. */
  readonly url: string;
  readonly plainUrl: string;
  readonly kubeconfig: string;
  /** What the `kubernetes` Service and its endpoints state. */
  readonly published: {
    readonly clientAuthority: string | undefined;
    readonly port: number;
    readonly address: string | undefined;
  };
  /** Closes every connection and listens on the same ports again. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
const CERTIFICATE_NAMES = [
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
  "localhost",
  HOST,
  "::1",
];
/** Published port of a server without an HTTPS listener. */
const DEFAULT_PORT = 6443;
const DEFAULT_SERVICE_RANGE = "10.96.0.0/16";

type Listen = (port: number) => Promise<Listener>;

export async function openListeners({ server, tokens, store, authority: ca, options }: ListenersOptions): Promise<Listeners> {
  const open: { readonly listen: Listen; listener: Listener }[] = [];
  const openListener = async (listen: Listen, port: number, preferredPort?: number): Promise<number> => {
    const listener = await (preferredPort === undefined ? listen(port) : listenPreferringPort(preferredPort, listen)).catch(
      explainPortInUse,
    );
    open.push({ listen, listener });
    return listener.port;
  };
  const close = async () => void (await Promise.all(open.map(({ listener }) => listener.close())));

  const limits = toHttpLimits(options.limits);
  const https = toHttpsOptions(options.http);
  const clientAuthority = https?.clientAuthority === null ? undefined : (https?.clientAuthority ?? ca.certificate);
  let port = DEFAULT_PORT;
  let url = "";
  let plainUrl = "";
  let config = "";
  if (https !== undefined) {
    const {
      host = HOST,
      keys = ca.issueServerCertificate({ commonName: "kube-apiserver" }, [
        ...CERTIFICATE_NAMES,
        getFirstAddress(options.services?.clusterIps ?? DEFAULT_SERVICE_RANGE),
      ]),
      anonymous,
    } = https;
    const listen: Listen = (at) => listenHttps(server, { host, port: at, keys, clientAuthority, tokens, anonymous, limits });
    port = await openListener(
      listen,
      https.port ?? 0,
      https.port === undefined && options.from === undefined ? await getPreviousPort(store) : undefined,
    );
    url = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
    if (clientAuthority === ca.certificate) {
      const client = ca.issueClientCertificate({ commonName: ADMIN.name, organizations: ["system:masters"] });
      config = buildKubeconfig("pintle", { server: url, authority: ca.certificate, client });
    }
  }
  if (options.plainHttp !== undefined && options.plainHttp !== false) {
    const listen: Listen = (at) => listenHttp(server, { host: HOST, port: at, tokens, user: ADMIN, limits });
    plainUrl = `http://${HOST}:${await openListener(listen, options.plainHttp === true ? 0 : options.plainHttp)}`;
    if (config === "") config = buildKubeconfig("pintle", { server: plainUrl });
  }
  return {
    url,
    plainUrl,
    kubeconfig: config,
    published: { clientAuthority, port, address: https?.advertise },
    async reopen() {
      await close();
      for (const each of open) each.listener = await each.listen(each.listener.port);
    },
    close,
  };
}

/** Returns the port of the last start, so that existing kubeconfigs stay valid; 0 for a free port. */
async function getPreviousPort(store: ObjectStore): Promise<number> {
  const service = (await store.get("/registry/services/specs/default/kubernetes"))?.value as
    | { readonly spec: { readonly ports: readonly { readonly targetPort: unknown }[] } }
    | undefined;
  const port = service?.spec.ports[0]?.targetPort;
  return typeof port === "number" ? port : 0;
}

/** Listens on the port, or on a free one if it is in use. */
async function listenPreferringPort(port: number, listen: Listen): Promise<Listener> {
  try {
    return await listen(port);
  } catch (error) {
    if (port === 0 || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return listen(0);
  }
}

function explainPortInUse(error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== "EADDRINUSE") throw error;
  throw new PintleError("PINTLE6530", `${message}. Choose another port, or stop the process that uses it`, { cause: error });
}

function toHttpLimits({
  requestTimeout = DEFAULT_HTTP_LIMITS.requestTimeout,
  idleTimeout = DEFAULT_HTTP_LIMITS.idleTimeout,
  maxConnections = DEFAULT_HTTP_LIMITS.maxConnections,
  maxStreamsPerConnection = DEFAULT_HTTP_LIMITS.maxConcurrentStreams,
}: ServerLimits = {}): Partial<HttpLimits> {
  return { requestTimeout, idleTimeout, maxConnections, maxConcurrentStreams: maxStreamsPerConnection };
}

function toHttpsOptions(http: ClusterOptions["http"]): HttpsOptions | undefined {
  if (http === undefined || http === false) return undefined;
  if (http === true) return {};
  return typeof http === "number" ? { port: http } : http;
}

interface KubeconfigOptions {
  readonly server: string;
  /** PEM authority of the server; absent for plain HTTP. */
  readonly authority?: string | undefined;
  readonly client?: CertificateKeyPair | undefined;
}

/** Builds a kubeconfig with one cluster, user and context of the same name. */
function buildKubeconfig(name: string, { server, authority, client }: KubeconfigOptions): string {
  const data = (key: string, pem: string | undefined) => (pem === undefined ? [] : [`    ${key}: ${Buffer.from(pem).toString("base64")}`]);
  const user = [...data("client-certificate-data", client?.certificate), ...data("client-key-data", client?.key)];
  return [
    "apiVersion: v1",
    "kind: Config",
    `current-context: ${name}`,
    "clusters:",
    `- name: ${name}`,
    "  cluster:",
    `    server: ${server}`,
    ...data("certificate-authority-data", authority),
    "contexts:",
    `- name: ${name}`,
    "  context:",
    `    cluster: ${name}`,
    `    user: ${name}`,
    "users:",
    `- name: ${name}`,
    ...(user.length === 0 ? ["  user: {}"] : ["  user:", ...user]),
    "",
  ].join("\n");
}
