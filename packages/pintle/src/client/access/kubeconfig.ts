import { readFile } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { ConfigError } from "./access-errors.ts";

/** The content of a kubeconfig file, as far as it is used. */
export interface Kubeconfig {
  readonly "current-context"?: string | undefined;
  readonly clusters?: readonly { readonly name: string; readonly cluster?: KubeconfigCluster }[] | undefined;
  readonly users?: readonly { readonly name: string; readonly user?: KubeconfigUser }[] | undefined;
  readonly contexts?: readonly { readonly name: string; readonly context?: KubeconfigContext }[] | undefined;
}
/** A cluster of a kubeconfig. */
export interface KubeconfigCluster {
  readonly server?: string | undefined;
  readonly "certificate-authority"?: string | undefined;
  readonly "certificate-authority-data"?: string | undefined;
  readonly "insecure-skip-tls-verify"?: boolean | undefined;
  readonly "tls-server-name"?: string | undefined;
  readonly "proxy-url"?: string | undefined;
  readonly extensions?: readonly { readonly name: string; readonly extension: unknown }[] | undefined;
}
/** A user of a kubeconfig. */
export interface KubeconfigUser {
  readonly "client-certificate"?: string | undefined;
  readonly "client-certificate-data"?: string | undefined;
  readonly "client-key"?: string | undefined;
  readonly "client-key-data"?: string | undefined;
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly as?: string | undefined;
  readonly "as-uid"?: string | undefined;
  readonly "as-groups"?: readonly string[] | undefined;
  readonly "as-user-extra"?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly exec?: KubeconfigExec | undefined;
  readonly "auth-provider"?: { readonly name?: string | undefined } | undefined;
}
/** The exec plugin of a kubeconfig user. */
export interface KubeconfigExec {
  readonly apiVersion?: string | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | null | undefined;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null | undefined;
  readonly installHint?: string | undefined;
  readonly provideClusterInfo?: boolean | undefined;
  readonly interactiveMode?: string | undefined;
}
/** A context of a kubeconfig. */
export interface KubeconfigContext {
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
}

/** Reads the files of a KUBECONFIG list and merges them as kubectl does. Resolves to undefined if none exists. */
export async function readKubeconfigs(list: string): Promise<Kubeconfig | undefined> {
  const paths = list.split(delimiter).filter((path) => path !== "");
  const read = await Promise.all(paths.map((path) => readKubeconfig(path)));
  const found = read.filter((config) => config !== undefined);
  return found.length === 0 ? undefined : mergeKubeconfigs(found);
}

/** Reads one file and makes its relative paths absolute. Resolves to undefined if the file does not exist. */
export async function readKubeconfig(path: string): Promise<Kubeconfig | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new ConfigError("PINTLE1002", `kubeconfig ${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  return resolveRelativePaths(await parseKubeconfig(text, path), dirname(resolve(path)));
}

async function parseKubeconfig(text: string, path: string): Promise<Kubeconfig> {
  let parsed: unknown;
  try {
    // The YAML parser is loaded only for YAML.
    parsed = text.trimStart().startsWith("{") ? JSON.parse(text) : (await import("yaml")).default.parse(text);
  } catch (error) {
    throw new ConfigError("PINTLE1003", `kubeconfig ${path} is not valid YAML: ${(error as Error).message}`, { cause: error });
  }
  if (parsed === null || parsed === undefined) return {};
  if (typeof parsed !== "object" || Array.isArray(parsed)) throw new ConfigError("PINTLE1003", `kubeconfig ${path} is not a kubeconfig`);
  const config = { ...parsed } as Record<string, unknown>;
  for (const [list, field] of LISTS) {
    const entries = config[list] ?? [];
    if (!Array.isArray(entries) || !entries.every((entry) => isEntry(entry, field)))
      throw new ConfigError("PINTLE1003", `kubeconfig ${path}: each of its ${list} must have a name and a ${field}`);
    config[list] = entries.map((entry) => ({ ...entry, [field]: entry[field] ?? {} }));
    const names = entries.map((entry) => entry.name as string);
    const duplicate = names.find((name, i) => names.indexOf(name) !== i);
    if (duplicate !== undefined)
      throw new ConfigError("PINTLE1003", `kubeconfig ${path} has ${JSON.stringify(duplicate)} twice among its ${list}`);
  }
  return config as Kubeconfig;
}

const LISTS = [
  ["clusters", "cluster"],
  ["users", "user"],
  ["contexts", "context"],
] as const;

/** An entry has a name; what it stands for may be left out. */
function isEntry(entry: unknown, field: string): boolean {
  if (typeof entry !== "object" || entry === null || typeof (entry as { readonly name?: unknown }).name !== "string") return false;
  const value = (entry as Readonly<Record<string, unknown>>)[field] ?? {};
  return typeof value === "object" && !Array.isArray(value);
}

/** Merges kubeconfigs. The first file with a cluster, user, context or current-context wins; entries are not merged field by field. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const first = <T extends { readonly name: string }>(lists: readonly (readonly T[] | null | undefined)[]): readonly T[] => {
    const out = new Map<string, T>();
    for (const entry of lists.flatMap((list) => list ?? [])) if (!out.has(entry.name)) out.set(entry.name, entry);
    return [...out.values()];
  };
  return {
    "current-context": configs.map((config) => config["current-context"]).find((name) => name),
    clusters: first(configs.map((config) => config.clusters)),
    users: first(configs.map((config) => config.users)),
    contexts: first(configs.map((config) => config.contexts)),
  };
}

/** Paths in a kubeconfig are relative to its folder; a command only if it is a path, not a name on PATH. */
function resolveRelativePaths(config: Kubeconfig, folder: string): Kubeconfig {
  const absolute = (path: string | undefined) => (path === undefined || path === "" || isAbsolute(path) ? path : join(folder, path));
  return {
    ...config,
    clusters: config.clusters?.map(({ name, cluster }) => ({
      name,
      cluster: { ...cluster, "certificate-authority": absolute(cluster?.["certificate-authority"]) },
    })),
    users: config.users?.map(({ name, user }) => ({
      name,
      user: {
        ...user,
        "client-certificate": absolute(user?.["client-certificate"]),
        "client-key": absolute(user?.["client-key"]),
        tokenFile: absolute(user?.tokenFile),
        exec: user?.exec && { ...user.exec, command: user.exec.command?.includes(sep) ? absolute(user.exec.command) : user.exec.command },
      },
    })),
  };
}
