import type { ManifestContext } from "./context.ts";
import { buildDashboard } from "./grafana-dashboard.ts";
import { sortForInstall } from "./install-order.ts";
import { CONFIG_FOLDERS, type Manifest } from "./manifest.ts";
import { buildManifests, deployedFolders } from "./manifests.ts";
import { toYaml } from "./yaml.ts";

/** Folders with generated files only: a file that is no longer generated is deleted. */
export const GENERATED_FOLDERS = [...CONFIG_FOLDERS.map((part) => `config/${part}`), "config/default", "config/grafana"];

/** Renders all generated files, keyed by path: the kubebuilder layout in `config/`, and everything in `dist/install.yaml`. */
export function renderConfigLayout(context: ManifestContext): ReadonlyMap<string, string> {
  const all = buildManifests(context);
  const deployed = deployedFolders(context);
  const files = new Map<string, string>();
  for (const folder of CONFIG_FOLDERS) {
    const byFile = groupByFile(all.filter((manifest) => manifest.folder === folder));
    if (byFile.size === 0) continue;
    for (const [file, manifests] of byFile) files.set(`config/${folder}/${file}`, toYaml(manifests.map(({ object }) => object)));
    files.set(`config/${folder}/kustomization.yaml`, renderKustomization([...byFile.keys()]));
  }
  const included = deployed.filter((folder) => all.some((manifest) => manifest.folder === folder));
  files.set("config/default/kustomization.yaml", renderKustomization(included.map((folder) => `../${folder}`)));
  files.set("config/grafana/dashboard.json", `${JSON.stringify(buildDashboard(context), null, 2)}\n`);
  files.set("dist/install.yaml", toYaml(sortForInstall(all.filter(({ folder }) => deployed.includes(folder)).map(({ object }) => object))));
  return files;
}

export function renderKustomization(resources: readonly string[]): string {
  return toYaml([{ apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization", resources }]);
}

function groupByFile(manifests: readonly Manifest[]): ReadonlyMap<string, readonly Manifest[]> {
  const files = new Map<string, Manifest[]>();
  for (const manifest of manifests) {
    const known = files.get(manifest.file);
    if (known === undefined) files.set(manifest.file, [manifest]);
    else known.push(manifest);
  }
  return files;
}
