import { chmodSync, existsSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { PintleError } from "pintle/internal/errors";

const PROGRAMS = ["kube-apiserver", "etcd"];
const EXECUTABLE_BITS = 0o111;

/**
 * Returns the folder for KUBEBUILDER_ASSETS, with the programs `kube-apiserver` and `etcd`. Restores their executable bits if an archive or
 * file system lost them. Throws if the package is incomplete.
 *
 * @example
 * ```ts
 * import { getAssetsFolder } from "@pintle/cluster/dropin";
 *
 * process.env["KUBEBUILDER_ASSETS"] = getAssetsFolder();
 * ```
 */
export function getAssetsFolder(): string {
  const root = findPackageFolder();
  const assets = path.join(root, "assets");
  for (const program of PROGRAMS) {
    const script = path.join(assets, program);
    if (!existsSync(path.join(root, "dist/dropin", `${program}.js`))) {
      throw new PintleError(
        "PINTLE6330",
        `@pintle/cluster in ${root} is incomplete: ${program} is missing; install the package again, or build it with npm run build`,
      );
    }
    const { mode } = statSync(script);
    if (process.platform !== "win32" && (mode & EXECUTABLE_BITS) !== EXECUTABLE_BITS) chmodSync(script, mode | EXECUTABLE_BITS);
  }
  return assets;
}

/** Finds the nearest parent folder with a package.json, in the sources as in the published package. */
function findPackageFolder(): string {
  for (let folder = path.dirname(fileURLToPath(import.meta.url)); ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, "package.json"))) return folder;
  }
}
