import type { JsonObject } from "pintle/kinds";
import type { OlmConfig } from "../project/index.ts";
import type { BundleContext } from "./bundle-files.ts";
import { buildOlmDeployment } from "./deployment.ts";
import { buildOwnedDefinitions } from "./owned-definitions.ts";
import { buildWebhookDefinitions } from "./webhook-definitions.ts";

/** Builds the ClusterServiceVersion: what OLM shows, and what it installs. `objects` are those of an installation without OLM. */
export function buildClusterServiceVersion(context: BundleContext, objects: readonly JsonObject[]): JsonObject {
  const { project, operator, presentation } = context;
  const olm: OlmConfig = project.config.olm ?? {};
  // Names of other schemes, such as those of an operator that was rewritten, are taken as they are.
  const nameOfVersion = (version: string) => (isVersion(version) ? `${presentation.package}.v${version}` : version);
  const webhookdefinitions = buildWebhookDefinitions(context, objects);
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: nameOfVersion(project.version), annotations: buildAnnotations(context, olm) },
    spec: {
      displayName: presentation.displayName,
      description: presentation.description,
      version: project.version,
      maturity: presentation.maturity,
      minKubeVersion: presentation.minKubeVersion,
      ...(olm.replaces === undefined ? {} : { replaces: nameOfVersion(olm.replaces) }),
      ...(olm.skips === undefined ? {} : { skips: olm.skips.map(nameOfVersion) }),
      icon: [presentation.icon],
      provider: presentation.provider,
      ...(presentation.maintainers.length === 0 ? {} : { maintainers: presentation.maintainers }),
      ...(presentation.links.length === 0 ? {} : { links: presentation.links }),
      ...(presentation.keywords.length === 0 ? {} : { keywords: presentation.keywords }),
      installModes: buildInstallModes(context),
      customresourcedefinitions: { owned: buildOwnedDefinitions(operator, objects) },
      install: {
        strategy: "deployment",
        spec: { ...buildPermissions(context, objects), deployments: objects.flatMap(buildOlmDeployment) },
      },
      ...(webhookdefinitions.length === 0 ? {} : { webhookdefinitions }),
      relatedImages: listRelatedImages(context, objects),
    },
  } as unknown as JsonObject;
}

function buildAnnotations({ project, operator, presentation, samples }: BundleContext, { skipRange }: OlmConfig): JsonObject {
  const owned = new Set(
    operator.resources.flatMap(({ crd: { spec } }) => spec.versions.map(({ name }) => `${spec.group}/${name} ${spec.names.kind}`)),
  );
  const examples = samples.filter((sample) => {
    const { apiVersion, kind } = sample as JsonObject;
    return owned.has(`${String(apiVersion)} ${String(kind)}`);
  });
  return {
    "alm-examples": JSON.stringify(examples, undefined, 2),
    capabilities: presentation.capabilities,
    ...(presentation.categories.length === 0 ? {} : { categories: presentation.categories.join(",") }),
    containerImage: project.image,
    description: presentation.summary,
    ...(skipRange === undefined ? {} : { "olm.skipRange": skipRange }),
    "operatorframework.io/suggested-namespace": project.namespace,
    "operators.operatorframework.io/builder": "pintle",
    ...(presentation.repository === undefined ? {} : { repository: presentation.repository }),
    support: presentation.provider.name,
  };
}

const VERSION = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]*)?$/;

function isVersion(text: string): boolean {
  return VERSION.test(text);
}

const RELATED_IMAGE_PREFIX = "RELATED_IMAGE_";

/** The image of the operator, those of its configuration, and those in variables named `RELATED_IMAGE_...`, as operator-sdk lists them. */
function listRelatedImages({ project }: BundleContext, objects: readonly JsonObject[]): JsonObject[] {
  const variables = objects
    .filter(({ kind }) => kind === "Deployment")
    .flatMap((deployment) => containersOf(deployment))
    .flatMap(({ env = [] }) => env as readonly { readonly name: string; readonly value?: string }[])
    .flatMap(({ name, value }): [string, string][] =>
      name.startsWith(RELATED_IMAGE_PREFIX) && value !== undefined
        ? [[name.slice(RELATED_IMAGE_PREFIX.length).toLowerCase().replaceAll("_", "-"), value]]
        : [],
    );
  const images = { ...Object.fromEntries(variables), ...project.config.olm?.relatedImages };
  return [{ name: project.name, image: project.image }, ...Object.entries(images).map(([name, image]) => ({ name, image }))];
}

function containersOf(deployment: JsonObject): readonly JsonObject[] {
  const { template } = deployment["spec"] as { readonly template: { readonly spec: { readonly containers: readonly JsonObject[] } } };
  return template.spec.containers;
}

/** The install modes that the operator supports. OLM allows conversion webhooks only for operators that watch all namespaces. */
function supportedInstallModes({ project, operator }: BundleContext): readonly string[] {
  const { namespaces = "all" } = project.config;
  if (namespaces === "all" || operator.webhooks.conversions.length > 0) return ["AllNamespaces"];
  return namespaces === "own" ? ["OwnNamespace"] : ["SingleNamespace", "MultiNamespace"];
}

function buildInstallModes(context: BundleContext): JsonObject[] {
  const supported = supportedInstallModes(context);
  return ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"].map((type) => ({
    type,
    supported: supported.includes(type),
  }));
}

/**
 * The rules of the roles that are bound to the operator, by its ServiceAccount, which OLM creates. `permissions` are granted in the namespaces
 * that the operator watches, and in the whole cluster if it watches all; those of Pintle name the objects wherever RBAC can, so that the operator
 * gets no access to other objects. An operator that watches other namespaces than its own needs the rules for its own namespace, such as that for
 * the Lease, as `clusterPermissions`: OLM can grant them in no other way.
 */
function buildPermissions(context: BundleContext, objects: readonly JsonObject[]): JsonObject {
  const serviceAccountName = findServiceAccount(objects);
  const boundRoles = (kind: "Role" | "ClusterRole") => {
    const bindings = objects.filter((object) => object["kind"] === `${kind}Binding`);
    const bound = new Set(bindings.map(({ roleRef }) => (roleRef as JsonObject)["name"]));
    return objects.filter((object) => object["kind"] === kind && bound.has(nameOf(object)));
  };
  const roles = boundRoles("Role");
  const watchesOnlyOthers = supportedInstallModes(context).includes("SingleNamespace");
  const watched = `${context.project.name}-manager-role`;
  const [permissions, clusterPermissions] = watchesOnlyOthers
    ? [
        roles.filter((role) => nameOf(role) === watched),
        [...boundRoles("ClusterRole"), ...roles.filter((role) => nameOf(role) !== watched)],
      ]
    : [roles, boundRoles("ClusterRole")];
  return {
    ...(permissions.length === 0 ? {} : { permissions: [{ serviceAccountName, rules: collectRules(permissions) }] }),
    ...(clusterPermissions.length === 0 ? {} : { clusterPermissions: [{ serviceAccountName, rules: collectRules(clusterPermissions) }] }),
  };
}

/** The roles of several namespaces have equal rules. */
function collectRules(roles: readonly JsonObject[]): JsonObject[] {
  const rules = roles.flatMap((role) => (role["rules"] ?? []) as readonly JsonObject[]);
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}

/** The ServiceAccount of the pods: an overlay may have renamed it. */
function findServiceAccount(objects: readonly JsonObject[]): string {
  const deployment = objects.find(({ kind }) => kind === "Deployment");
  const { template } = (deployment?.["spec"] ?? {}) as { readonly template?: { readonly spec?: { readonly serviceAccountName?: string } } };
  return template?.spec?.serviceAccountName ?? "default";
}

function nameOf(object: JsonObject): string {
  return String((object["metadata"] as JsonObject)["name"]);
}

/** Says what the installation by OLM does differently. */
export function findChangedScope({ project, operator }: BundleContext): string[] {
  const { namespaces = "all" } = project.config;
  if (namespaces === "all" || operator.webhooks.conversions.length === 0) return [];
  return [
    `OLM installs operators with conversion webhooks for all namespaces: config.namespaces is ignored, and rules of namespaces become rules of the cluster`,
  ];
}
