import { readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type Binaries, binaries } from "../real/index.ts";
import { dropin } from "./dropin.ts";

export interface Mixed extends AsyncDisposable {
  readonly binaries: Binaries;
}

/** The drop-ins for kube-apiserver and etcd, and beside them the real controller manager, scheduler and kwok; or a real etcd, too. */
export async function mixed({ realEtcd = false } = {}): Promise<Mixed> {
  const { assets, [Symbol.asyncDispose]: remove } = await dropin();
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
