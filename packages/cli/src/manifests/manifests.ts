import type { Context } from "./context.ts";
import { crds } from "./crds.ts";
import { manager } from "./manager.ts";
import type { Manifest, Part } from "./manifest.ts";
import { monitoring } from "./monitoring.ts";
import { rbac } from "./rbac.ts";
import { userRoles } from "./user-roles.ts";
import { webhooks } from "./webhooks.ts";

/** Every object of an operator's deployment, in the order in which a cluster can take them. */
export function manifests(context: Context): readonly Manifest[] {
  const { overlay } = context.project.config;
  const all = [
    ...crds(context),
    ...rbac(context),
    ...userRoles(context),
    ...manager(context),
    ...webhooks(context),
    ...monitoring(context),
  ];
  if (overlay === undefined) return all;
  return all.flatMap((manifest) => {
    const object = overlay(structuredClone(manifest.object));
    return object === undefined ? [] : [{ ...manifest, object }];
  });
}

/** The folders that `config/default` and `dist/install.yaml` are made of. */
export function deployed({ project: { config } }: Pick<Context, "project">): readonly Part[] {
  return [
    "crd",
    "rbac",
    "manager",
    "webhook",
    "certmanager",
    ...(config.networkPolicy ? ["network-policy" as const] : []),
    ...(config.prometheus ? ["prometheus" as const] : []),
  ];
}
