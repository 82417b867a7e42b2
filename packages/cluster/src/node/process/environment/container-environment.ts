import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Container, EnvVar, Pod, Service } from "pintle/kinds/core/v1";
import { type ConfigSources, ContainerConfigError, notFoundError } from "./config-sources.ts";
import { type DownwardApiSource, resolvePodField, resolveResourceField } from "./downward-api.ts";

export interface EnvironmentSources extends DownwardApiSource {
  readonly configSources: ConfigSources;
  /** Services of the pod's namespace, and `kubernetes`. */
  readonly services: readonly Service[];
}

/** Builds the environment variables of a container. A variable can refer to earlier ones and to service links. */
export async function buildEnvironment(
  pod: Pod,
  container: Container,
  sources: EnvironmentSources,
): Promise<Readonly<Record<string, string>>> {
  const links = buildServiceLinks(sources.services);
  const env: Record<string, string> = {};
  for (const { configMapRef, secretRef, prefix = "" } of container.envFrom ?? []) {
    const { name = "", optional = false } = configMapRef ?? secretRef ?? {};
    const { namespace } = pod.metadata;
    const found =
      configMapRef === undefined
        ? await sources.configSources.secret(namespace, name)
        : await sources.configSources.configMap(namespace, name);
    if (found === undefined && !optional) throw notFoundError(configMapRef === undefined ? "secret" : "configmap", name);
    for (const [key, value] of Object.entries(found ?? {})) env[prefix + key] = value.toString();
  }
  const resolveReference = (name: string) => env[name] ?? links[name];
  for (const variable of container.env ?? []) {
    const value =
      variable.valueFrom === undefined
        ? expandVariables(variable.value ?? "", resolveReference)
        : await resolveValueFrom(variable, pod, container, sources);
    if (value !== undefined) env[variable.name] = value;
  }
  return { ...links, ...env };
}

async function resolveValueFrom(
  { valueFrom: from }: EnvVar,
  pod: Pod,
  container: Container,
  sources: EnvironmentSources,
): Promise<string | undefined> {
  if (from?.fieldRef !== undefined) return resolvePodField(pod, from.fieldRef, sources);
  if (from?.resourceFieldRef !== undefined) return resolveResourceField(pod, container, from.resourceFieldRef, sources);
  const { namespace } = pod.metadata;
  if (from?.configMapKeyRef !== undefined) {
    const { name = "", key, optional = false } = from.configMapKeyRef;
    const found = await sources.configSources.configMap(namespace, name);
    if (found === undefined && !optional) throw notFoundError("configmap", name);
    if (found?.[key] === undefined && !optional)
      throw new ContainerConfigError(`couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
    return found?.[key]?.toString();
  }
  if (from?.secretKeyRef !== undefined) {
    const { name = "", key, optional = false } = from.secretKeyRef;
    const found = await sources.configSources.secret(namespace, name);
    if (found === undefined && !optional) throw notFoundError("secret", name);
    if (found?.[key] === undefined && !optional) throw new ContainerConfigError(`couldn't find key ${key} in Secret ${namespace}/${name}`);
    return found?.[key]?.toString();
  }
  throw new ContainerConfigError("this node does not support environment variables from a file of a volume: use another source");
}

/** Builds the service environment variables, such as `REDIS_SERVICE_HOST`. */
function buildServiceLinks(services: readonly Service[]): Readonly<Record<string, string>> {
  return Object.assign({}, ...services.map(buildLinks));
}

function buildLinks({ metadata, spec }: Service): Record<string, string> {
  const { clusterIP, ports = [] } = spec;
  const [first] = ports;
  if (first === undefined || clusterIP === undefined || clusterIP === "" || clusterIP === "None") return {};
  const name = toVariableName(metadata.name);
  const links: Record<string, string> = {
    [`${name}_SERVICE_HOST`]: clusterIP,
    [`${name}_SERVICE_PORT`]: String(first.port),
    [`${name}_PORT`]: formatUrl(clusterIP, first),
  };
  for (const port of ports) {
    if (port.name !== undefined && port.name !== "") links[`${name}_SERVICE_PORT_${toVariableName(port.name)}`] = String(port.port);
    const prefix = `${name}_PORT_${port.port}_${port.protocol ?? "TCP"}`;
    links[prefix] = formatUrl(clusterIP, port);
    links[`${prefix}_PROTO`] = (port.protocol ?? "TCP").toLowerCase();
    links[`${prefix}_PORT`] = String(port.port);
    links[`${prefix}_ADDR`] = clusterIP;
  }
  return links;
}

const toVariableName = (name: string) => name.toUpperCase().replaceAll("-", "_");
const formatUrl = (address: string, { protocol = "TCP", port }: { readonly protocol?: string | undefined; readonly port: number }) =>
  `${protocol.toLowerCase()}://${address}:${port}`;

const SERVICE_ACCOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Writes a kubeconfig that refers to the mounted service account files, for pods without a file system of their own, in which clients
 * cannot find them at the usual path. Returns the KUBECONFIG variable.
 */
export async function writeServiceAccountKubeconfig(
  mounts: readonly { readonly path: string; readonly source: string }[],
  env: Readonly<Record<string, string>>,
  folder: string,
  namespace: string,
): Promise<Readonly<Record<string, string>>> {
  const accountFolder = mounts.find((mount) => mount.path === SERVICE_ACCOUNT_PATH)?.source;
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, KUBECONFIG: kubeconfig } = env;
  if (accountFolder === undefined || host === undefined || port === undefined || kubeconfig !== undefined) return {};
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "pod", cluster: { server: `https://${host}:${port}`, "certificate-authority": path.join(accountFolder, "ca.crt") } },
    ],
    users: [{ name: "pod", user: { tokenFile: path.join(accountFolder, "token") } }],
    contexts: [{ name: "pod", context: { cluster: "pod", user: "pod", namespace } }],
    "current-context": "pod",
  };
  const file = path.join(folder, "kubeconfig");
  await writeFile(file, JSON.stringify(config));
  return { KUBECONFIG: file };
}

/** Expands `$(NAME)`; `$$(NAME)` is an escaped reference, and unknown names are left unchanged. */
export function expandVariables(text: string, resolveReference: (name: string) => string | undefined): string {
  return text.replace(/\$(\$|\(([^()]*)\))/g, (match, rest: string, name: string | undefined) => {
    if (rest === "$") return "$";
    return resolveReference(name ?? "") ?? match;
  });
}
