import type { CrdConversion, CustomResourceDefinition } from "../custom-resource-definition.ts";
import type { WebhookClientConfig } from "../resource.ts";
import { sortKeys } from "../sort-keys.ts";
import type { ResourceModel } from "./resource-model.ts";

/** The placeholder Service of a scaffolded project; deployment replaces its name and namespace. */
const SCAFFOLDED_CLIENT_CONFIG: WebhookClientConfig = { service: { name: "webhook-service", namespace: "system", path: "/convert" } };

/** Returns the complete CustomResourceDefinition, keys in alphabetical order and versions by name, as controller-gen writes them. */
export function buildCrd(model: ResourceModel, conversion: WebhookClientConfig | undefined): CustomResourceDefinition {
  const { names, scope, labels, annotations, storageVersion } = model;
  const { group, shortNames, categories, ...rest } = names;
  const versions = model.versions.map(({ crd }) => ({ ...crd, storage: crd.name === storageVersion }));
  return sortKeys({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${names.plural}.${group}`, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) },
    spec: {
      group,
      names: { ...rest, ...(shortNames?.length ? { shortNames } : {}), ...(categories?.length ? { categories } : {}) },
      scope,
      versions: versions.sort((a, b) => (a.name < b.name ? -1 : 1)),
      ...(versions.length > 1 ? { conversion: conversionStrategy(model, conversion ?? SCAFFOLDED_CLIENT_CONFIG) } : {}),
    },
  });
}

/** Versions with the same schema differ in `apiVersion` only, which the API server converts without a webhook. */
function conversionStrategy({ versions }: ResourceModel, clientConfig: WebhookClientConfig): CrdConversion {
  if (versions.every(({ convert }) => convert === undefined)) return { strategy: "None" };
  return { strategy: "Webhook", webhook: { clientConfig: clientConfig as never, conversionReviewVersions: ["v1"] } };
}
