import { chmod, chown, mkdir, realpath, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Client, NotFound } from "pintle/client";
import { type Container, PersistentVolumeClaim, type Pod, type Volume } from "pintle/kinds/core/v1";
import { expand } from "../environment/expand.ts";
import { ConfigProblem } from "../environment/problem.ts";
import { writeAtomically } from "./atomic-writer.ts";
import { type FileFacts, filesOf } from "./files.ts";

/** Something of the node's folder that a container finds at a path. */
export interface Mount {
  readonly source: string;
  readonly path: string;
  readonly readOnly: boolean;
  /** Bytes that are left on it, where a test says that it is nearly full. */
  readonly room?: number | undefined;
}

export interface VolumeFacts extends FileFacts {
  readonly client: Client;
  /** The cluster's own folder: nothing is written outside of it. */
  readonly root: string;
  /** The pod's part of it. */
  readonly folder: string;
  readonly mayChown: boolean;
  /** Bytes that are left on a volume, where a test says so. */
  room(volume: string): number | undefined;
}

/** A volume that could not be made yet; tried again. */
export class MountProblem extends Error {
  readonly volume: string;
  constructor(volume: string, why: string) {
    super(`MountVolume.SetUp failed for volume "${volume}" : ${why}`);
    this.volume = volume;
  }
}

/** Makes the volumes of a pod, or brings their texts up to date. */
export async function prepareVolumes(pod: Pod, facts: VolumeFacts): Promise<void> {
  for (const volume of pod.spec.volumes ?? []) {
    const problem = unsupported(volume, facts);
    // Whoever mounts it is told.
    if (problem !== undefined) continue;
    try {
      const files = await filesOf(volume, pod, facts);
      const folder = await folderOf(volume, pod, facts);
      if (files !== undefined) await writeAtomically(folder, files);
      else if (volume.hostPath === undefined) await makeWritable(folder, pod, facts);
    } catch (error) {
      if (error instanceof ConfigProblem) throw error;
      throw new MountProblem(volume.name, error instanceof Error ? error.message : String(error));
    }
  }
}

/** What a container finds where. Its variables may be part of a `subPathExpr`. */
export async function mountsOf(
  pod: Pod,
  container: Container,
  env: Readonly<Record<string, string>>,
  facts: VolumeFacts,
): Promise<readonly Mount[]> {
  const mounts: Mount[] = [];
  for (const { name, mountPath, subPath, subPathExpr, readOnly = false } of container.volumeMounts ?? []) {
    const volume = (pod.spec.volumes ?? []).find((each) => each.name === name);
    if (volume === undefined) throw new ConfigProblem(`volume "${name}" not found in pod`);
    const problem = unsupported(volume, facts);
    if (problem !== undefined) throw new ConfigProblem(problem);
    const folder = await folderOf(volume, pod, facts);
    const inside = subPath ?? (subPathExpr === undefined ? "" : expand(subPathExpr, (key) => env[key]));
    const written = isOfTexts(volume) || readOnly;
    const room = facts.room(name);
    mounts.push({
      ...(room === undefined ? {} : { room }),
      source: await within(folder, inside, !written),
      path: path.posix.normalize(mountPath),
      readOnly: written,
    });
  }
  return mounts.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function isOfTexts({ configMap, secret, downwardAPI, projected }: Volume): boolean {
  return (configMap ?? secret ?? downwardAPI ?? projected) !== undefined;
}

/** The part of a volume that a path names, made where it is missing; never anything outside. */
async function within(folder: string, subPath: string, make: boolean): Promise<string> {
  if (subPath === "") return folder;
  const wanted = path.join(folder, subPath);
  if (make) await mkdir(wanted, { recursive: true }).catch(() => {});
  const real = await realpath(wanted).catch(() => wanted);
  const base = await realpath(folder);
  if (real !== base && !real.startsWith(`${base}/`)) throw new ConfigProblem(`subPath "${subPath}" leads out of its volume`);
  return real;
}

async function folderOf(volume: Volume, pod: Pod, { folder, root, client }: VolumeFacts): Promise<string> {
  const { name, hostPath, persistentVolumeClaim, ephemeral, emptyDir } = volume;
  if (hostPath !== undefined) {
    await mkdir(hostPath.path, { recursive: true });
    return hostPath.path;
  }
  const claim = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${pod.metadata.name}-${name}`);
  if (claim !== undefined) return path.join(root, "volumes", await boundVolume(client, pod.metadata.namespace, claim));
  return path.join(folder, "volumes", emptyDir === undefined ? "texts" : "empty-dir", name);
}

async function boundVolume(client: Client, namespace: string, name: string): Promise<string> {
  try {
    const { spec } = await client.get(PersistentVolumeClaim, { namespace, name });
    if (spec.volumeName !== undefined && spec.volumeName !== "") return spec.volumeName;
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    throw new Error(`persistentvolumeclaim "${name}" not found`);
  }
  throw new Error(`persistentvolumeclaim "${name}" is not bound`);
}

/** Everybody may write, as in an emptyDir of a kubelet; with an fsGroup, files made in it belong to that group. */
async function makeWritable(folder: string, { spec }: Pod, { mayChown }: VolumeFacts): Promise<void> {
  await mkdir(folder, { recursive: true });
  const group = spec.securityContext?.fsGroup;
  if (group !== undefined && mayChown) {
    await chown(folder, 0, group);
    await chmod(folder, 0o2777);
  } else await chmod(folder, 0o777).catch(() => {});
}

function unsupported(volume: Volume, { root }: VolumeFacts): string | undefined {
  const { name, hostPath, configMap, secret, downwardAPI, projected, emptyDir, persistentVolumeClaim, ephemeral } = volume;
  if (hostPath !== undefined) {
    const wanted = path.resolve(hostPath.path);
    if (wanted === root || wanted.startsWith(`${root}/`)) return undefined;
    return `volume "${name}": hostPath ${hostPath.path} is outside of the cluster's own folder ${root}: use an emptyDir or a claim`;
  }
  const known = configMap ?? secret ?? downwardAPI ?? projected ?? emptyDir ?? persistentVolumeClaim ?? ephemeral;
  if (known !== undefined) return undefined;
  const [kind = "?"] = Object.keys(volume).filter((key) => key !== "name");
  return `volume "${name}": a process node has no volumes of the kind ${kind}`;
}

/** The hosts file and the like: texts of the node at fixed places. */
export async function ownFile(folder: string, target: string, text: string): Promise<Mount> {
  const source = path.join(folder, "etc", path.basename(target));
  await mkdir(path.dirname(source), { recursive: true });
  await writeFile(source, text);
  return { source, path: target, readOnly: false };
}
