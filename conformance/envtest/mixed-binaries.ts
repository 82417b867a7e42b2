import { readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type Binaries, binaries } from "../real/index.ts";
import { buildDropin } from "./dropin.ts";

export interface MixedBinaries extends AsyncDisposable {
  readonly binaries: Binaries;
}

/** A folder with the drop-in kube-apiserver and etcd and the real controller manager, scheduler and kwok; optionally a real etcd. */
export async function createMixedBinaries({ realEtcd = false } = {}): Promise<MixedBinaries> {
  const { assets, [Symbol.asyncDispose]: remove } = await buildDropin();
  const real = binaries();
  try {
    if (realEtcd) await rm(join(assets, "etcd"));
    const there = new Set(await readdir(assets));
    const missing = (await readdir(real.folder)).filter((name) => !there.has(name));
    await Promise.all(missing.map((name) => symlink(join(real.folder, name), join(assets, name))));
    return { binaries: { ...real, folder: assets, provided: true }, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
