import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { arch } from "node:os";
import path from "node:path";
import type { ImageEntry } from "../table.ts";
import { digestOf, type ImageSource } from "./source.ts";
import { unpack } from "./unpack.ts";

/** An image that lies unpacked in a folder. */
export interface PulledImage {
  readonly digest: string;
  readonly rootfs: string;
  /** What its configuration says, as an entry of the image table. */
  readonly entry: ImageEntry;
  readonly bytes: number;
}

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly os: string; readonly architecture: string };
}
interface Manifest {
  readonly manifests?: readonly Descriptor[];
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}
interface Config {
  readonly config?: {
    readonly Entrypoint?: readonly string[] | null;
    readonly Cmd?: readonly string[] | null;
    readonly Env?: readonly string[] | null;
    readonly WorkingDir?: string;
    readonly User?: string;
  };
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64" };

/** Fetches an image and unpacks it under `folder`, unless it is there. */
export async function pull(source: ImageSource, reference: string, folder: string, mayChown: boolean): Promise<PulledImage> {
  const { manifest, digest } = await manifestOf(source, reference);
  const home = path.join(folder, digest.replace(":", "-"));
  const configText = (await source.blob(manifest.config.digest)).toString();
  if (!existsSync(home)) {
    await mkdir(folder, { recursive: true });
    const fresh = await mkdtemp(path.join(folder, "unpacking-"));
    await chmod(fresh, 0o755);
    try {
      for (const layer of manifest.layers) await unpack(await source.blob(layer.digest), path.join(fresh, "rootfs"), mayChown);
      await mkdir(path.join(fresh, "rootfs"), { recursive: true });
      await writeFile(path.join(fresh, "config.json"), configText);
      await rename(fresh, home);
    } catch (error) {
      await rm(fresh, { recursive: true, force: true });
      throw error;
    }
  }
  const rootfs = path.join(home, "rootfs");
  const bytes = manifest.layers.reduce((sum, { size }) => sum + size, 0);
  return { digest, rootfs, bytes, entry: await entryOf(JSON.parse(configText) as Config, rootfs) };
}

async function manifestOf(source: ImageSource, reference: string): Promise<{ readonly manifest: Manifest; readonly digest: string }> {
  const bytes = await source.manifest(reference);
  const manifest = JSON.parse(bytes.toString()) as Manifest;
  if (manifest.manifests === undefined) return { manifest, digest: digestOf(bytes) };
  const architecture = ARCHITECTURES[arch()] ?? arch();
  const fit = manifest.manifests.find(({ platform }) => platform?.os === "linux" && platform.architecture === architecture);
  if (fit === undefined) throw new Error(`no match for platform in manifest: it has nothing for linux/${architecture}`);
  return manifestOf(source, fit.digest);
}

async function entryOf({ config = {} }: Config, rootfs: string): Promise<ImageEntry> {
  const { Entrypoint, Cmd, Env, WorkingDir, User } = config;
  const env = (Env ?? []).map((each): [string, string] => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]);
  const user = User === undefined || User === "" ? undefined : await numbered(User, rootfs);
  return {
    command: Entrypoint ?? [],
    args: Cmd ?? [],
    env: Object.fromEntries(env),
    ...(WorkingDir === undefined || WorkingDir === "" ? {} : { workingDir: WorkingDir }),
    ...(user === undefined ? {} : { user }),
  };
}

/** A user by number, also where the image names it. */
async function numbered(user: string, rootfs: string): Promise<string | undefined> {
  const [name = ""] = user.split(":");
  if (/^\d+$/.test(name)) return user;
  const lines = (await readFile(path.join(rootfs, "etc/passwd"), "utf8").catch(() => "")).split("\n");
  const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
  return uid === undefined ? undefined : `${uid}:${gid ?? uid}`;
}
