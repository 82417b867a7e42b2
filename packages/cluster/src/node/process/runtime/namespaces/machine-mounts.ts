import { readFile } from "node:fs/promises";
import type { Mount } from "../../volume/volumes.ts";

const OURS = /^\/(proc|sys|dev|run|tmp|boot)(\/|$)/;
const REAL = /^(ext[234]|xfs|btrfs|zfs|f2fs|bcachefs|nfs4?|9p|virtiofs|squashfs|erofs|fuse\..*)$/;

/** Disks of the machine beside its root, which a layer over the root does not show. Nothing may be written to them. */
export async function machineMounts(): Promise<readonly Mount[]> {
  const lines = (await readFile("/proc/self/mountinfo", "utf8")).trim().split("\n");
  const found = lines.flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ");
    const target = (before.split(" ")[4] ?? "").replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
    const [type = ""] = after.split(" ");
    return target !== "/" && !OURS.test(target) && REAL.test(type) ? [target] : [];
  });
  return [...new Set(found)].sort().map((target) => ({ source: target, path: target, readOnly: true }));
}
