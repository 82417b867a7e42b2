import type { CrdConversion, CustomResourceDefinition } from "./custom-resource-definition.ts";
import type { Model } from "./model.ts";
import { ordered } from "./ordered.ts";
import type { WebhookClient } from "./resource.ts";

/** Where a scaffolded project runs its webhooks before deployment gives the real name and namespace. */
const SCAFFOLDED: WebhookClient = { service: { name: "webhook-service", namespace: "system", path: "/convert" } };

/** The whole definition: keys in alphabetical order, versions by name, as Go's generators write it. */
export function crd(model: Model, conversion: WebhookClient | undefined): CustomResourceDefinition {
  const { names, scope, labels, annotations, stored } = model;
  const { group, shortNames, categories, ...rest } = names;
  const versions = model.versions.map(({ crd }) => ({ ...crd, storage: crd.name === stored }));
  return ordered({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${names.plural}.${group}`, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) },
    spec: {
      group,
      names: { ...rest, ...(shortNames?.length ? { shortNames } : {}), ...(categories?.length ? { categories } : {}) },
      scope,
      versions: versions.sort((a, b) => (a.name < b.name ? -1 : 1)),
      ...(versions.length > 1 ? { conversion: strategy(model, conversion ?? SCAFFOLDED) } : {}),
    },
  });
}

/** Versions that all look alike only change their name, which the server does alone. */
function strategy({ versions }: Model, clientConfig: WebhookClient): CrdConversion {
  if (versions.every(({ convert }) => convert === undefined)) return { strategy: "None" };
  return { strategy: "Webhook", webhook: { clientConfig: clientConfig as never, conversionReviewVersions: ["v1"] } };
}
