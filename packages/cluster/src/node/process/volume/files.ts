import type { DownwardAPIVolumeFile, KeyToPath, Pod, Volume } from "pintle/kinds/core/v1";
import { type Downward, podField, resourceField } from "../environment/downward.ts";
import { ConfigProblem } from "../environment/problem.ts";
import type { Sources } from "../environment/sources.ts";
import type { VolumeFile, VolumeFiles } from "./atomic-writer.ts";
import type { Tokens } from "./tokens.ts";

export interface FileFacts extends Downward {
  readonly sources: Sources;
  readonly tokens: Tokens;
}

const MODE = 0o644;

/** What a volume of texts holds: a ConfigMap's, a Secret's, the pod's own fields, tokens. Undefined for any other volume. */
export async function filesOf(volume: Volume, pod: Pod, facts: FileFacts): Promise<VolumeFiles | undefined> {
  const { configMap, secret, downwardAPI, projected } = volume;
  if (configMap !== undefined) return new Map(await keyed("configmap", { ...configMap, name: configMap.name ?? "" }, pod, facts));
  if (secret !== undefined) return new Map(await keyed("secret", { ...secret, name: secret.secretName ?? "" }, pod, facts));
  if (downwardAPI !== undefined) return new Map(downward(downwardAPI.items ?? [], downwardAPI.defaultMode ?? MODE, pod, facts));
  if (projected === undefined) return undefined;
  const { sources = [], defaultMode = MODE } = projected;
  const files = new Map<string, VolumeFile>();
  const add = (entries: Iterable<readonly [string, VolumeFile]>) => {
    for (const [name, file] of entries) files.set(name, file);
  };
  for (const source of sources) {
    if (source.configMap !== undefined)
      add(await keyed("configmap", { ...source.configMap, name: source.configMap.name ?? "", defaultMode }, pod, facts));
    else if (source.secret !== undefined)
      add(await keyed("secret", { ...source.secret, name: source.secret.name ?? "", defaultMode }, pod, facts));
    else if (source.downwardAPI !== undefined) add(downward(source.downwardAPI.items ?? [], defaultMode, pod, facts));
    else if (source.serviceAccountToken !== undefined) {
      const { audience, expirationSeconds, path } = source.serviceAccountToken;
      const token = await facts.tokens.of(pod, { audience, expirationSeconds });
      // As a kubelet has it: whoever runs as somebody else must be able to read it.
      add([[path, { data: Buffer.from(token), mode: pod.spec.securityContext?.runAsUser === undefined ? defaultMode : MODE }]]);
    } else throw new ConfigProblem(`volume "${volume.name}": this node projects ConfigMaps, Secrets, pod fields and tokens only`);
  }
  return files;
}

interface Keyed {
  readonly name: string;
  readonly items?: readonly KeyToPath[] | undefined;
  readonly optional?: boolean | undefined;
  readonly defaultMode?: number | undefined;
}

async function keyed(
  what: "configmap" | "secret",
  { name, items, optional = false, defaultMode = MODE }: Keyed,
  pod: Pod,
  { sources }: FileFacts,
): Promise<readonly (readonly [string, VolumeFile])[]> {
  const { namespace } = pod.metadata;
  const found = await (what === "configmap" ? sources.configMap(namespace, name) : sources.secret(namespace, name));
  if (found === undefined) {
    if (optional) return [];
    throw new Error(`${what} "${name}" not found`);
  }
  if (items === undefined || items.length === 0)
    return Object.entries(found).map(([key, data]) => [key, { data, mode: defaultMode }] as const);
  return items.flatMap(({ key, path, mode = defaultMode }) => {
    const data = found[key];
    if (data !== undefined) return [[path, { data, mode }] as const];
    if (optional) return [];
    throw new Error(`${what === "configmap" ? "configmap" : "secret"} references non-existent ${what} key: ${key}`);
  });
}

function downward(items: readonly DownwardAPIVolumeFile[], defaultMode: number, pod: Pod, facts: FileFacts) {
  return items.map(({ path, fieldRef, resourceFieldRef, mode = defaultMode }): readonly [string, VolumeFile] => {
    const [self] = pod.spec.containers;
    const text =
      fieldRef !== undefined
        ? podField(pod, fieldRef, facts)
        : resourceFieldRef !== undefined && self !== undefined
          ? resourceField(pod, self, resourceFieldRef, facts)
          : "";
    return [path, { data: Buffer.from(text), mode }];
  });
}
