import { chmod, chown, mkdir, realpath, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Client, NotFound } from "pintle/client";
import { type Container, PersistentVolumeClaim, type Pod, type Volume } from "pintle/kinds/core/v1";
import { ContainerConfigError } from "../environment/config-sources.ts";
import { expandVariables } from "../environment/container-environment.ts";
import { writeAtomically } from "./atomic-writer.ts";
import { buildVolumeFiles, type ProjectedFileSources } from "./projected-files.ts";

/** A file or folder of the node that is mounted into a container. */
export interface ResolvedMount {
  readonly source: string;
  readonly path: string;
  readonly readOnly: boolean;
  /** The free space that a test has set. Bytes. */
  readonly diskSpace?: number | undefined;
}

export interface VolumeContext extends ProjectedFileSources {
  readonly client: Client;
  /** The root folder of the nodes: nothing is written outside of it. */
  readonly root: string;
  /** The folder of the pod. */
  readonly folder: string;
  readonly canChown: boolean;
  /** Returns the free space that a test has set for a volume. Bytes. */
  getDiskSpace(volume: string): number | undefined;
}

/** A volume could not be set up; it is retried. */
export class VolumeMountError extends Error {
  readonly volume: string;
  constructor(volume: string, reason: string) {
    super(`MountVolume.SetUp failed for volume "${volume}" : ${reason}`);
    this.volume = volume;
  }
}

/** Sets up the volumes of a pod, or updates their files. */
export async function prepareVolumes(pod: Pod, context: VolumeContext): Promise<void> {
  for (const volume of pod.spec.volumes ?? []) {
    const unsupportedReason = getUnsupportedReason(volume, context);
    // Reported by the containers that mount it.
    if (unsupportedReason !== undefined) continue;
    try {
      const files = await buildVolumeFiles(volume, pod, context);
      const folder = await resolveVolumeFolder(volume, pod, context);
      if (files !== undefined) await writeAtomically(folder, files);
      else if (volume.hostPath === undefined) await makeWritable(folder, pod, context);
    } catch (error) {
      if (error instanceof ContainerConfigError) throw error;
      throw new VolumeMountError(volume.name, error instanceof Error ? error.message : String(error));
    }
  }
}

/** Resolves the mounts of a container. `subPathExpr` can refer to its variables. */
export async function resolveMounts(
  pod: Pod,
  container: Container,
  env: Readonly<Record<string, string>>,
  context: VolumeContext,
): Promise<readonly ResolvedMount[]> {
  const mounts: ResolvedMount[] = [];
  for (const { name, mountPath, subPath, subPathExpr, readOnly = false } of container.volumeMounts ?? []) {
    const volume = (pod.spec.volumes ?? []).find((each) => each.name === name);
    if (volume === undefined) throw new ContainerConfigError(`volume "${name}" not found in pod`);
    const unsupportedReason = getUnsupportedReason(volume, context);
    if (unsupportedReason !== undefined) throw new ContainerConfigError(unsupportedReason);
    const folder = await resolveVolumeFolder(volume, pod, context);
    const subFolder = subPath ?? (subPathExpr === undefined ? "" : expandVariables(subPathExpr, (key) => env[key]));
    const isReadOnly = isProjected(volume) || readOnly;
    const diskSpace = context.getDiskSpace(name);
    mounts.push({
      ...(diskSpace === undefined ? {} : { diskSpace }),
      source: await resolveSubPath(folder, subFolder, !isReadOnly),
      path: path.posix.normalize(mountPath),
      readOnly: isReadOnly,
    });
  }
  return mounts.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function isProjected({ configMap, secret, downwardAPI, projected }: Volume): boolean {
  return (configMap ?? secret ?? downwardAPI ?? projected) !== undefined;
}

/** Resolves a subPath, which is created if missing. Throws if it leaves the volume. */
async function resolveSubPath(folder: string, subPath: string, make: boolean): Promise<string> {
  if (subPath === "") return folder;
  const target = path.join(folder, subPath);
  if (make) await mkdir(target, { recursive: true }).catch(() => {});
  const real = await realpath(target).catch(() => target);
  const base = await realpath(folder);
  if (real !== base && !real.startsWith(`${base}/`)) throw new ContainerConfigError(`subPath "${subPath}" points outside of its volume`);
  return real;
}

async function resolveVolumeFolder(volume: Volume, pod: Pod, { folder, root, client }: VolumeContext): Promise<string> {
  const { name, hostPath, persistentVolumeClaim, ephemeral, emptyDir } = volume;
  if (hostPath !== undefined) {
    await mkdir(hostPath.path, { recursive: true });
    return hostPath.path;
  }
  const claim = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${pod.metadata.name}-${name}`);
  if (claim !== undefined) return path.join(root, "volumes", await getBoundVolume(client, pod.metadata.namespace, claim));
  return path.join(folder, "volumes", emptyDir === undefined ? "texts" : "empty-dir", name);
}

async function getBoundVolume(client: Client, namespace: string, name: string): Promise<string> {
  try {
    const { spec } = await client.get(PersistentVolumeClaim, { namespace, name });
    if (spec.volumeName !== undefined && spec.volumeName !== "") return spec.volumeName;
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    throw new Error(`persistentvolumeclaim "${name}" not found`);
  }
  throw new Error(`persistentvolumeclaim "${name}" is not bound`);
}

/** Makes the folder writable for all users, as the kubelet does for an emptyDir; with an fsGroup, new files belong to that group. */
async function makeWritable(folder: string, { spec }: Pod, { canChown }: VolumeContext): Promise<void> {
  await mkdir(folder, { recursive: true });
  const group = spec.securityContext?.fsGroup;
  if (group !== undefined && canChown) {
    await chown(folder, 0, group);
    await chmod(folder, 0o2777);
  } else await chmod(folder, 0o777).catch(() => {});
}

function getUnsupportedReason(volume: Volume, { root }: VolumeContext): string | undefined {
  const { name, hostPath, configMap, secret, downwardAPI, projected, emptyDir, persistentVolumeClaim, ephemeral } = volume;
  if (hostPath !== undefined) {
    const target = path.resolve(hostPath.path);
    if (target === root || target.startsWith(`${root}/`)) return undefined;
    return `volume "${name}": hostPath ${hostPath.path} is outside of the folder of the cluster's nodes ${root}: use an emptyDir or a claim`;
  }
  const source = configMap ?? secret ?? downwardAPI ?? projected ?? emptyDir ?? persistentVolumeClaim ?? ephemeral;
  if (source !== undefined) return undefined;
  const [kind = "?"] = Object.keys(volume).filter((key) => key !== "name");
  return `volume "${name}": process nodes do not support volumes of type ${kind}`;
}

/** Writes a kubelet-managed file such as /etc/hosts. */
export async function writeHostFile(folder: string, target: string, text: string): Promise<ResolvedMount> {
  const source = path.join(folder, "etc", path.basename(target));
  await mkdir(path.dirname(source), { recursive: true });
  await writeFile(source, text);
  return { source, path: target, readOnly: false };
}
