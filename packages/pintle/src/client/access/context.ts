import type { Access, Impersonation, Material, User } from "./access.ts";
import { ConfigError } from "./config-error.ts";
import type { ExecPlugin } from "./exec-plugin.ts";
import type { Kubeconfig, KubeconfigCluster, KubeconfigExec, KubeconfigUser } from "./kubeconfig.ts";

/** The extension of a cluster that is meant for exec plugins. */
const PLUGIN_EXTENSION = "client.authentication.k8s.io/exec";

/** What one context of a kubeconfig says; the current one when none is named. `origin` is for messages. */
export function contextOf(config: Kubeconfig, chosen: string | undefined, origin: string): Access {
  const name = chosen ?? config["current-context"];
  const names = (config.contexts ?? []).map((context) => context.name);
  const choose = names.length === 0 ? "it has none" : `it has ${names.map((one) => JSON.stringify(one)).join(", ")}`;
  if (!name) throw new ConfigError(`${origin} has no current-context: name one of its contexts (${choose})`);
  const context = config.contexts?.find((one) => one.name === name)?.context;
  if (context === undefined) throw new ConfigError(`${origin} has no context ${JSON.stringify(name)}: ${choose}`);

  const cluster = config.clusters?.find((one) => one.name === context.cluster)?.cluster;
  if (cluster === undefined)
    throw new ConfigError(
      `${origin}: context ${JSON.stringify(name)} names a cluster that is not there: ${JSON.stringify(context.cluster ?? "")}`,
    );
  const user = context.user ? config.users?.find((one) => one.name === context.user)?.user : {};
  if (user === undefined)
    throw new ConfigError(`${origin}: context ${JSON.stringify(name)} names a user that is not there: ${JSON.stringify(context.user)}`);
  return {
    ...clusterOf(cluster, `${origin}, cluster ${JSON.stringify(context.cluster)}`),
    namespace: context.namespace || undefined,
    user: userOf(user, `${origin}, user ${JSON.stringify(context.user)}`),
  };
}

function clusterOf(cluster: KubeconfigCluster, origin: string): Access {
  if (!cluster.server) throw new ConfigError(`${origin} has no server`);
  return {
    server: cluster.server,
    ca: material(cluster["certificate-authority"], cluster["certificate-authority-data"], `${origin}, certificate-authority-data`),
    serverName: cluster["tls-server-name"] || undefined,
    insecure: cluster["insecure-skip-tls-verify"] === true,
    proxy: cluster["proxy-url"] || undefined,
    pluginConfig: cluster.extensions?.find((one) => one.name === PLUGIN_EXTENSION)?.extension,
  };
}

function userOf(user: KubeconfigUser, origin: string): User {
  const provider = user["auth-provider"];
  if (provider) {
    throw new ConfigError(
      `${origin} uses the auth-provider ${JSON.stringify(provider.name ?? "")}, which Kubernetes has removed and Pintle does not support: use an exec plugin of that provider, or a token`,
    );
  }
  const cert = material(user["client-certificate"], user["client-certificate-data"], `${origin}, client-certificate-data`);
  const key = material(user["client-key"], user["client-key-data"], `${origin}, client-key-data`);
  if (cert !== undefined && key === undefined) throw new ConfigError(`${origin} has a client certificate but no client key`);
  const basic = user.username || user.password ? { username: user.username ?? "", password: user.password ?? "" } : undefined;
  if (basic !== undefined && user.token) throw new ConfigError(`${origin} has a token and a password: keep one of them`);
  return {
    cert,
    key,
    token: user.token || undefined,
    tokenFile: user.tokenFile || undefined,
    basic,
    exec: user.exec && pluginOf(user.exec, origin),
    impersonate: impersonationOf(user, origin),
  };
}

/** Data is stronger than a file. */
function material(file: string | undefined, data: string | undefined, origin: string): Material | undefined {
  if (data) {
    const pem = Buffer.from(data, "base64").toString("utf8");
    if (!pem.includes("-----BEGIN")) throw new ConfigError(`${origin} is not PEM in base64`);
    return { data: pem };
  }
  return file ? { file } : undefined;
}

function impersonationOf(user: KubeconfigUser, origin: string): Impersonation | undefined {
  if (user.as) return { user: user.as, uid: user["as-uid"], groups: user["as-groups"], extra: user["as-user-extra"] };
  if (user["as-uid"] || user["as-groups"]?.length || user["as-user-extra"]) {
    throw new ConfigError(`${origin} impersonates a uid, groups or extra without a user: add "as"`);
  }
  return undefined;
}

const PLUGIN_VERSIONS = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"] as const;

function pluginOf(exec: KubeconfigExec, origin: string): ExecPlugin {
  const apiVersion = PLUGIN_VERSIONS.find((version) => version === exec.apiVersion);
  if (apiVersion === undefined) {
    throw new ConfigError(
      `${origin}: exec plugins of apiVersion ${JSON.stringify(exec.apiVersion ?? "")} are not supported, only ${PLUGIN_VERSIONS.join(" and ")}`,
    );
  }
  if (!exec.command) throw new ConfigError(`${origin}: the exec plugin has no command`);
  const mode = exec.interactiveMode ?? (apiVersion === PLUGIN_VERSIONS[1] ? "IfAvailable" : undefined);
  if (mode !== "Never" && mode !== "IfAvailable" && mode !== "Always") {
    throw new ConfigError(
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
