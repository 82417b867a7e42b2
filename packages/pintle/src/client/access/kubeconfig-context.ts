import { ConfigError } from "./access-errors.ts";
import type { AuthInfo, ClusterAccess, ExecPlugin, Impersonation, PemSource } from "./cluster-access.ts";
import type { Kubeconfig, KubeconfigCluster, KubeconfigExec, KubeconfigUser } from "./kubeconfig.ts";

/** The cluster extension whose content is passed to exec plugins. */
const PLUGIN_EXTENSION = "client.authentication.k8s.io/exec";

/** Returns the access of a context of a kubeconfig. Default: the current context. `origin` names the kubeconfig in error messages. */
export function resolveContext(config: Kubeconfig, requested: string | undefined, origin: string): ClusterAccess {
  const name = requested ?? config["current-context"];
  const names = (config.contexts ?? []).map((context) => context.name);
  const available = names.length === 0 ? "it has none" : `it has ${names.map((entry) => JSON.stringify(entry)).join(", ")}`;
  if (!name) throw new ConfigError("PINTLE1004", `${origin} has no current-context: name one of its contexts (${available})`);
  const context = config.contexts?.find((entry) => entry.name === name)?.context;
  if (context === undefined) throw new ConfigError("PINTLE1004", `${origin} has no context ${JSON.stringify(name)}: ${available}`);

  const cluster = config.clusters?.find((entry) => entry.name === context.cluster)?.cluster;
  if (cluster === undefined)
    throw new ConfigError(
      "PINTLE1004",
      `${origin}: context ${JSON.stringify(name)} refers to a cluster that does not exist: ${JSON.stringify(context.cluster ?? "")}`,
    );
  const user = context.user ? config.users?.find((entry) => entry.name === context.user)?.user : {};
  if (user === undefined)
    throw new ConfigError(
      "PINTLE1004",
      `${origin}: context ${JSON.stringify(name)} refers to a user that does not exist: ${JSON.stringify(context.user)}`,
    );
  return {
    ...convertCluster(cluster, `${origin}, cluster ${JSON.stringify(context.cluster)}`),
    namespace: context.namespace || undefined,
    user: convertUser(user, `${origin}, user ${JSON.stringify(context.user)}`),
  };
}

function convertCluster(cluster: KubeconfigCluster, origin: string): ClusterAccess {
  if (!cluster.server) throw new ConfigError("PINTLE1005", `${origin} has no server`);
  return {
    server: cluster.server,
    ca: resolvePem(cluster["certificate-authority"], cluster["certificate-authority-data"], `${origin}, certificate-authority-data`),
    tlsServerName: cluster["tls-server-name"] || undefined,
    insecureSkipTlsVerify: cluster["insecure-skip-tls-verify"] === true,
    proxyUrl: cluster["proxy-url"] || undefined,
    execPluginConfig: cluster.extensions?.find((entry) => entry.name === PLUGIN_EXTENSION)?.extension,
  };
}

function convertUser(user: KubeconfigUser, origin: string): AuthInfo {
  const provider = user["auth-provider"];
  if (provider) {
    throw new ConfigError(
      "PINTLE1005",
      `${origin} uses the auth-provider ${JSON.stringify(provider.name ?? "")}, which Kubernetes has removed and Pintle does not support: use an exec plugin of that provider, or a token`,
    );
  }
  const clientCertificate = resolvePem(user["client-certificate"], user["client-certificate-data"], `${origin}, client-certificate-data`);
  const clientKey = resolvePem(user["client-key"], user["client-key-data"], `${origin}, client-key-data`);
  if (clientCertificate !== undefined && clientKey === undefined)
    throw new ConfigError("PINTLE1005", `${origin} has a client certificate but no client key`);
  const basicAuth = user.username || user.password ? { username: user.username ?? "", password: user.password ?? "" } : undefined;
  if (basicAuth !== undefined && user.token)
    throw new ConfigError("PINTLE1005", `${origin} has a token and a password: remove one of them`);
  return {
    clientCertificate,
    clientKey,
    token: user.token || undefined,
    tokenFile: user.tokenFile || undefined,
    basicAuth,
    exec: user.exec && convertExecPlugin(user.exec, origin),
    impersonate: convertImpersonation(user, origin),
  };
}

/** Inline data takes precedence over a file. */
function resolvePem(file: string | undefined, data: string | undefined, origin: string): PemSource | undefined {
  if (data) {
    const pem = Buffer.from(data, "base64").toString("utf8");
    if (!pem.includes("-----BEGIN")) throw new ConfigError("PINTLE1005", `${origin} is not PEM in base64`);
    return { data: pem };
  }
  return file ? { file } : undefined;
}

function convertImpersonation(user: KubeconfigUser, origin: string): Impersonation | undefined {
  if (user.as) return { user: user.as, uid: user["as-uid"], groups: user["as-groups"], extra: user["as-user-extra"] };
  if (user["as-uid"] || user["as-groups"]?.length || user["as-user-extra"]) {
    throw new ConfigError("PINTLE1005", `${origin} impersonates a uid, groups or extra without a user: add "as"`);
  }
  return undefined;
}

const PLUGIN_VERSIONS = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"] as const;

function convertExecPlugin(exec: KubeconfigExec, origin: string): ExecPlugin {
  const apiVersion = PLUGIN_VERSIONS.find((version) => version === exec.apiVersion);
  if (apiVersion === undefined) {
    throw new ConfigError(
      "PINTLE1006",
      `${origin}: exec plugins of apiVersion ${JSON.stringify(exec.apiVersion ?? "")} are not supported, only ${PLUGIN_VERSIONS.join(" and ")}`,
    );
  }
  if (!exec.command) throw new ConfigError("PINTLE1006", `${origin}: the exec plugin has no command`);
  const mode = exec.interactiveMode ?? (apiVersion === PLUGIN_VERSIONS[1] ? "IfAvailable" : undefined);
  if (mode !== "Never" && mode !== "IfAvailable" && mode !== "Always") {
    throw new ConfigError(
      "PINTLE1006",
      `${origin}: interactiveMode of the exec plugin is ${JSON.stringify(mode ?? "")}; it must be Never, IfAvailable or Always`,
    );
  }
  return {
    apiVersion,
    command: exec.command,
    args: exec.args ?? [],
    env: Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value])),
    installHint: exec.installHint || undefined,
    provideClusterInfo: exec.provideClusterInfo === true,
    interactiveMode: mode,
  };
}
