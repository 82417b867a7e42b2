import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { arch } from "node:os";
import path from "node:path";
import type { ImageEntry } from "../image-table.ts";
import { resolveInRoot } from "../path-in-root.ts";
import { computeDigest, type ImageSource } from "./image-source.ts";
import { unpackLayer } from "./unpack-layer.ts";

/** An unpacked image. */
export interface PulledImage {
  readonly digest: string;
  readonly rootfs: string;
  /** The image configuration as an entry of the image table. */
  readonly entry: ImageEntry;
  readonly bytes: number;
}

interface OciDescriptor {
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly os: string; readonly architecture: string };
}
interface OciManifest {
  readonly manifests?: readonly OciDescriptor[];
  readonly config: OciDescriptor;
  readonly layers: readonly OciDescriptor[];
}
interface OciImageConfig {
  readonly config?: {
    readonly Entrypoint?: readonly string[] | null;
    readonly Cmd?: readonly string[] | null;
    readonly Env?: readonly string[] | null;
    readonly WorkingDir?: string;
    readonly User?: string;
  };
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64" };

/** Pulls an image and unpacks it into `folder`, unless it is already there. */
export async function pullImage(source: ImageSource, reference: string, folder: string, mayChown: boolean): Promise<PulledImage> {
  const { manifest, digest } = await fetchManifest(source, reference);
  const target = path.join(folder, digest.replace(":", "-"));
  const configText = (await source.blob(manifest.config)).toString();
  if (!existsSync(target)) {
    await mkdir(folder, { recursive: true });
    const temporary = await mkdtemp(path.join(folder, "unpacking-"));
    await chmod(temporary, 0o755);
    try {
      for (const layer of manifest.layers) await unpackLayer(await source.blob(layer), path.join(temporary, "rootfs"), mayChown);
      await mkdir(path.join(temporary, "rootfs"), { recursive: true });
      await writeFile(path.join(temporary, "config.json"), configText);
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { recursive: true, force: true });
      throw error;
    }
  }
  const rootfs = path.join(target, "rootfs");
  const bytes = manifest.layers.reduce((sum, { size }) => sum + size, 0);
  return { digest, rootfs, bytes, entry: await buildImageEntry(JSON.parse(configText) as OciImageConfig, rootfs) };
}

/** How many indexes may refer to each other. */
const MAX_INDEX_DEPTH = 3;

async function fetchManifest(
  source: ImageSource,
  reference: string,
  depth = 0,
): Promise<{ readonly manifest: OciManifest; readonly digest: string }> {
  const bytes = await source.manifest(reference);
  const manifest = JSON.parse(bytes.toString()) as OciManifest;
  if (manifest.manifests === undefined) return { manifest, digest: computeDigest(bytes) };
  const architecture = ARCHITECTURES[arch()] ?? arch();
  const match = manifest.manifests.find(({ platform }) => platform?.os === "linux" && platform.architecture === architecture);
  if (match === undefined) throw new Error(`no match for platform in manifest: linux/${architecture} not found`);
  if (depth >= MAX_INDEX_DEPTH) throw new Error("the image index refers to too many other indexes");
  return fetchManifest(source, match.digest, depth + 1);
}

async function buildImageEntry({ config = {} }: OciImageConfig, rootfs: string): Promise<ImageEntry> {
  const { Entrypoint, Cmd, Env, WorkingDir, User } = config;
  const env = (Env ?? []).map((each): [string, string] => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]);
  const user = User === undefined || User === "" ? undefined : await resolveUserId(User, rootfs);
  return {
    command: Entrypoint ?? [],
    args: Cmd ?? [],
    env: Object.fromEntries(env),
    ...(WorkingDir === undefined || WorkingDir === "" ? {} : { workingDir: WorkingDir }),
    ...(user === undefined ? {} : { user }),
  };
}

/** Resolves a user name of the image to a numeric user. */
async function resolveUserId(user: string, rootfs: string): Promise<string | undefined> {
  const [name = ""] = user.split(":");
  if (/^\d+$/.test(name)) return user;
  // The file may be a link, which leads out of the image unless it is resolved in it.
  const file = path.join(rootfs, await resolveInRoot(rootfs, "/etc/passwd"));
  const lines = (await readFile(file, "utf8").catch(() => "")).split("\n");
  const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
  return uid === undefined ? undefined : `${uid}:${gid ?? uid}`;
}
