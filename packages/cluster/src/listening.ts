import { ADMIN, type ApiServer, type Listener, listenPlainly, listenSecurely, type TokenAuthenticator } from "./api/index.ts";
import { firstAddress } from "./builtin/index.ts";
import type { ClusterOptions, HttpsOptions } from "./cluster-options.ts";
import { kubeconfig } from "./kubeconfig.ts";
import type { Store } from "./store/index.ts";
import type { Authority } from "./tls/index.ts";

export interface ListeningOptions {
  readonly server: Pick<ApiServer, "handle">;
  readonly tokens: TokenAuthenticator;
  readonly store: Store;
  readonly authority: Authority;
  readonly options: Pick<ClusterOptions, "http" | "plainHttp" | "from" | "services">;
}

/** Where a cluster is reached from outside. */
export interface Listening {
  /** Empty where it is not. */
  readonly url: string;
  readonly plainUrl: string;
  readonly kubeconfig: string;
  /** What the `kubernetes` Service says. */
  readonly announced: {
    readonly clientAuthority: string | undefined;
    readonly port: number;
    readonly address: string | undefined;
  };
  /** Cuts every connection, and takes new ones at the same ports. */
  again(): Promise<void>;
  close(): Promise<void>;
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
];
/** What a server that is not served over HTTPS says its port is. */
const USUAL_PORT = 6443;
const USUAL_RANGE = "10.96.0.0/16";

type Listen = (port: number) => Promise<Listener>;

export async function listening({ server, tokens, store, authority: ca, options }: ListeningOptions): Promise<Listening> {
  const open: { readonly listen: Listen; listener: Listener }[] = [];
  const opened = async (listen: Listen, port: number, before?: number): Promise<number> => {
    const listener = await (before === undefined ? listen(port) : listenAgain(before, listen));
    open.push({ listen, listener });
    return listener.port;
  };
  const close = async () => void (await Promise.all(open.map(({ listener }) => listener.close())));

  const https = httpsOptions(options.http);
  const clientAuthority = https?.clientAuthority === null ? undefined : (https?.clientAuthority ?? ca.certificate);
  let port = USUAL_PORT;
  let url = "";
  let plainUrl = "";
  let config = "";
  if (https !== undefined) {
    const {
      host = HOST,
      keys = ca.server({ commonName: "kube-apiserver" }, [...NAMES, firstAddress(options.services?.clusterIps ?? USUAL_RANGE)]),
      anonymous,
    } = https;
    const listen: Listen = (at) => listenSecurely(server, { host, port: at, keys, clientAuthority, tokens, anonymous });
    port = await opened(
      listen,
      https.port ?? 0,
      https.port === undefined && options.from === undefined ? await portBefore(store) : undefined,
    );
    url = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
    if (clientAuthority === ca.certificate) {
      const client = ca.client({ commonName: ADMIN.name, organizations: ["system:masters"] });
      config = kubeconfig("pintle", { server: url, authority: ca.certificate, client });
    }
  }
  if (options.plainHttp !== undefined && options.plainHttp !== false) {
    const listen: Listen = (at) => listenPlainly(server, { host: HOST, port: at, tokens, user: ADMIN });
    plainUrl = `http://${HOST}:${await opened(listen, options.plainHttp === true ? 0 : options.plainHttp)}`;
    if (config === "") config = kubeconfig("pintle", { server: plainUrl });
  }
  return {
    url,
    plainUrl,
    kubeconfig: config,
    announced: { clientAuthority, port, address: https?.advertise },
    async again() {
      await close();
      for (const each of open) each.listener = await each.listen(each.listener.port);
    },
    close,
  };
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
async function listenAgain(port: number, listen: Listen): Promise<Listener> {
  try {
    return await listen(port);
  } catch (error) {
    if (port === 0 || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return listen(0);
  }
}

function httpsOptions(wanted: ClusterOptions["http"]): HttpsOptions | undefined {
  if (wanted === undefined || wanted === false) return undefined;
  if (wanted === true) return {};
  return typeof wanted === "number" ? { port: wanted } : wanted;
}
