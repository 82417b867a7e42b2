import type { JsonObject } from "pintle/kinds";
import type { ManifestContext } from "./context.ts";
import { managerManifests } from "./manager.ts";
import type { ConfigFolder, Manifest } from "./manifest.ts";
import { monitoringManifests } from "./monitoring.ts";
import { rbacManifests } from "./rbac.ts";
import { userRoleManifests } from "./user-roles.ts";
import { webhookManifests, withCaInjection } from "./webhooks.ts";

/** Builds every object of an operator's deployment, in an order in which they can be applied. */
export function buildManifests(context: ManifestContext): readonly Manifest[] {
  const { overlay } = context.project.config;
  const all = [
    ...crdManifests(context),
    ...rbacManifests(context),
    ...userRoleManifests(context),
    ...managerManifests(context),
    ...webhookManifests(context),
    ...monitoringManifests(context),
  ];
  if (overlay === undefined) return all;
  return all.flatMap((manifest) => {
    const object = overlay(structuredClone(manifest.object));
    return object === undefined ? [] : [{ ...manifest, object }];
  });
}

/** Returns the folders that `config/default` and `dist/install.yaml` include. */
export function deployedFolders({ project: { config } }: Pick<ManifestContext, "project">): readonly ConfigFolder[] {
  return [
    "crd",
    "rbac",
    "manager",
    "webhook",
    "certmanager",
    ...(config.networkPolicy !== false ? ["network-policy" as const] : []),
    ...(config.prometheus ? ["prometheus" as const] : []),
  ];
}

/** Returns one manifest per CRD, with the file names of controller-gen. */
function crdManifests(context: ManifestContext): readonly Manifest[] {
  return context.operator.resources.map(({ file, crd }) => ({
    folder: "crd",
    file: `bases/${file}`,
    object: withCaInjection(context, crd as unknown as JsonObject),
  }));
}
