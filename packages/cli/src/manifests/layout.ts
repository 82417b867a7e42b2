import type { Context } from "./context.ts";
import { dashboard } from "./dashboard.ts";
import { installOrder } from "./install-order.ts";
import { type Manifest, PARTS } from "./manifest.ts";
import { deployed, manifests } from "./manifests.ts";
import { yamlOf } from "./yaml.ts";

/** Folders in which every file is ours: what is no longer generated goes. */
export const OURS = [...PARTS.map((part) => `config/${part}`), "config/default", "config/grafana"];

/** The text of every generated file, by path: the layout kubebuilder users know, and all of it in one. */
export function layout(context: Context): ReadonlyMap<string, string> {
  const all = manifests(context);
  const parts = deployed(context);
  const files = new Map<string, string>();
  for (const part of PARTS) {
    const here = byFile(all.filter((manifest) => manifest.part === part));
    if (here.size === 0) continue;
    for (const [file, manifests] of here) files.set(`config/${part}/${file}`, yamlOf(manifests.map(({ object }) => object)));
    files.set(`config/${part}/kustomization.yaml`, kustomization([...here.keys()]));
  }
  const there = parts.filter((part) => all.some((manifest) => manifest.part === part));
  files.set("config/default/kustomization.yaml", kustomization(there.map((part) => `../${part}`)));
  files.set("config/grafana/dashboard.json", `${JSON.stringify(dashboard(context), null, 2)}\n`);
  files.set("dist/install.yaml", yamlOf(installOrder(all.filter(({ part }) => parts.includes(part)).map(({ object }) => object))));
  return files;
}

export function kustomization(resources: readonly string[]): string {
  return yamlOf([{ apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization", resources }]);
}

function byFile(manifests: readonly Manifest[]): ReadonlyMap<string, readonly Manifest[]> {
  const files = new Map<string, Manifest[]>();
  for (const manifest of manifests) {
    const known = files.get(manifest.file);
    if (known === undefined) files.set(manifest.file, [manifest]);
    else known.push(manifest);
  }
  return files;
}
