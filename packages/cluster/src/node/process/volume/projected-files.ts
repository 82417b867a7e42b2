import type { DownwardAPIVolumeFile, KeyToPath, Pod, Volume } from "pintle/kinds/core/v1";
import { type ConfigSources, ContainerConfigError } from "../environment/config-sources.ts";
import { type DownwardApiSource, resolvePodField, resolveResourceField } from "../environment/downward-api.ts";
import type { VolumeFile, VolumeFiles } from "./atomic-writer.ts";
import type { TokenManager } from "./token-manager.ts";

export interface ProjectedFileSources extends DownwardApiSource {
  readonly configSources: ConfigSources;
  readonly tokens: TokenManager;
}

const DEFAULT_MODE = 0o644;

/** Builds the files of a ConfigMap, Secret, downward API or projected volume; undefined for any other volume. */
export async function buildVolumeFiles(volume: Volume, pod: Pod, context: ProjectedFileSources): Promise<VolumeFiles | undefined> {
  const { configMap, secret, downwardAPI, projected } = volume;
  if (configMap !== undefined) return new Map(await projectKeys("configmap", { ...configMap, name: configMap.name ?? "" }, pod, context));
  if (secret !== undefined) return new Map(await projectKeys("secret", { ...secret, name: secret.secretName ?? "" }, pod, context));
  if (downwardAPI !== undefined)
    return new Map(projectDownwardApi(downwardAPI.items ?? [], downwardAPI.defaultMode ?? DEFAULT_MODE, pod, context));
  if (projected === undefined) return undefined;
  const { sources = [], defaultMode = DEFAULT_MODE } = projected;
  const files = new Map<string, VolumeFile>();
  const add = (entries: Iterable<readonly [string, VolumeFile]>) => {
    for (const [name, file] of entries) files.set(name, file);
  };
  for (const source of sources) {
    if (source.configMap !== undefined)
      add(await projectKeys("configmap", { ...source.configMap, name: source.configMap.name ?? "", defaultMode }, pod, context));
    else if (source.secret !== undefined)
      add(await projectKeys("secret", { ...source.secret, name: source.secret.name ?? "", defaultMode }, pod, context));
    else if (source.downwardAPI !== undefined) add(projectDownwardApi(source.downwardAPI.items ?? [], defaultMode, pod, context));
    else if (source.serviceAccountToken !== undefined) {
      const { audience, expirationSeconds, path } = source.serviceAccountToken;
      const token = await context.tokens.getToken(pod, { audience, expirationSeconds });
      // As in the kubelet: the token must be readable by the container's user.
      add([[path, { data: Buffer.from(token), mode: pod.spec.securityContext?.runAsUser === undefined ? defaultMode : DEFAULT_MODE }]]);
    } else
      throw new ContainerConfigError(
        `volume "${volume.name}": this node only projects ConfigMaps, Secrets, the downward API and service account tokens`,
      );
  }
  return files;
}

interface KeyProjection {
  readonly name: string;
  readonly items?: readonly KeyToPath[] | undefined;
  readonly optional?: boolean | undefined;
  readonly defaultMode?: number | undefined;
}

async function projectKeys(
  kind: "configmap" | "secret",
  { name, items, optional = false, defaultMode = DEFAULT_MODE }: KeyProjection,
  pod: Pod,
  { configSources }: ProjectedFileSources,
): Promise<readonly (readonly [string, VolumeFile])[]> {
  const { namespace } = pod.metadata;
  const values = await (kind === "configmap" ? configSources.configMap(namespace, name) : configSources.secret(namespace, name));
  if (values === undefined) {
    if (optional) return [];
    throw new Error(`${kind} "${name}" not found`);
  }
  if (items === undefined || items.length === 0)
    return Object.entries(values).map(([key, data]) => [key, { data, mode: defaultMode }] as const);
  return items.flatMap(({ key, path, mode = defaultMode }) => {
    const data = values[key];
    if (data !== undefined) return [[path, { data, mode }] as const];
    if (optional) return [];
    throw new Error(`${kind === "configmap" ? "configmap" : "secret"} references non-existent ${kind} key: ${key}`);
  });
}

function projectDownwardApi(items: readonly DownwardAPIVolumeFile[], defaultMode: number, pod: Pod, context: ProjectedFileSources) {
  return items.map(({ path, fieldRef, resourceFieldRef, mode = defaultMode }): readonly [string, VolumeFile] => {
    const [self] = pod.spec.containers;
    const text =
      fieldRef !== undefined
        ? resolvePodField(pod, fieldRef, context)
        : resourceFieldRef !== undefined && self !== undefined
          ? resolveResourceField(pod, self, resourceFieldRef, context)
          : "";
    return [path, { data: Buffer.from(text), mode }];
  });
}
