import { chmodSync, existsSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const PROGRAMS = ["kube-apiserver", "etcd"];
const EXECUTABLE = 0o111;

/**
 * What KUBEBUILDER_ASSETS should be: the folder with `kube-apiserver` and `etcd`. They are made executable where an archive
 * or a file system lost that. Throws when the package is not complete.
 */
export function assetsFolder(): string {
  const root = packageFolder();
  const assets = path.join(root, "assets");
  for (const program of PROGRAMS) {
    const script = path.join(assets, program);
    if (!existsSync(path.join(root, "dist/dropin", `${program}.js`))) {
      throw new Error(
        `@pintle/cluster in ${root} is not complete, ${program} is missing: install it again, or build it with npm run build`,
      );
    }
    const { mode } = statSync(script);
    if (process.platform !== "win32" && (mode & EXECUTABLE) !== EXECUTABLE) chmodSync(script, mode | EXECUTABLE);
  }
  return assets;
}

/** The nearest folder above with a manifest, in the sources as in the published package. */
function packageFolder(): string {
  for (let folder = path.dirname(fileURLToPath(import.meta.url)); ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, "package.json"))) return folder;
  }
}
