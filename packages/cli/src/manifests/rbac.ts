import { metricsNames, secretPolicyRule } from "pintle/internal/webhook";
import type { JsonObject } from "pintle/kinds";
import { type ManifestContext, objectMetadata, resolveWatchedNamespaces, SERVICE_ACCOUNT } from "./context.ts";
import type { Manifest } from "./manifest.ts";
import { certificateRules } from "./webhooks.ts";

const RBAC_GROUP = "rbac.authorization.k8s.io";
const RBAC_API_VERSION = `${RBAC_GROUP}/v1`;

/** Returns the ServiceAccount, and roles with exactly the permissions that the operator's code declares. */
export function buildRbacManifests(context: ManifestContext): readonly Manifest[] {
  const { watchedNamespaces, ownNamespace, clusterWide } = context.operator.permissions;
  const withBinding = (name: string, file: string, role: JsonObject): readonly Manifest[] => [
    { folder: "rbac", file: `${file}.yaml`, object: role },
    { folder: "rbac", file: `${file}_binding.yaml`, object: buildBinding(context, name, role) },
  ];
  const watched = resolveWatchedNamespaces(context);
  const certificates = certificateRules(context);
  const inOperatorNamespace = (name: string): JsonObject => ({ ...objectMetadata(context, name, { namespaced: true }) });
  return [
    {
      folder: "rbac",
      file: "service_account.yaml",
      object: { apiVersion: "v1", kind: "ServiceAccount", metadata: objectMetadata(context, SERVICE_ACCOUNT, { namespaced: true }) },
    },
    ...(watched === "all"
      ? withBinding("manager-rolebinding", "role", buildClusterRole(objectMetadata(context, "manager-role"), mergeRules(watchedNamespaces)))
      : watched.flatMap((namespace) =>
          withBinding(
            "manager-rolebinding",
            "role",
            buildRole({ ...objectMetadata(context, "manager-role"), namespace }, mergeRules(watchedNamespaces)),
          ),
        )),
    ...withBinding(
      "leader-election-rolebinding",
      "leader_election_role",
      buildRole(inOperatorNamespace("leader-election-role"), mergeRules(withOperatorName(ownNamespace, context))),
    ),
    ...withBinding(
      "metrics-auth-rolebinding",
      "metrics_auth_role",
      buildClusterRole(objectMetadata(context, "metrics-auth-role"), mergeRules(clusterWide)),
    ),
    ...withBinding(
      "metrics-certificates-rolebinding",
      "metrics_certificates_role",
      buildRole(inOperatorNamespace("metrics-certificates-role"), [{ ...secretPolicyRule(metricsNames(context.project.name).secret) }]),
    ),
    ...(certificates.role.length === 0
      ? []
      : withBinding(
          "webhook-certificates-rolebinding",
          "webhook_certificates_role",
          buildRole(inOperatorNamespace("webhook-certificates-role"), certificates.role),
        )),
    ...(certificates.clusterRole.length === 0
      ? []
      : withBinding(
          "webhook-registration-rolebinding",
          "webhook_registration_role",
          buildClusterRole(objectMetadata(context, "webhook-registration-role"), certificates.clusterRole),
        )),
    {
      folder: "rbac",
      file: "metrics_reader_role.yaml",
      object: buildClusterRole(objectMetadata(context, "metrics-reader"), [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }]),
    },
  ];
}

export function buildClusterRole(meta: JsonObject, rules: readonly JsonObject[]): JsonObject {
  return { apiVersion: RBAC_API_VERSION, kind: "ClusterRole", metadata: meta, rules };
}

function buildRole(meta: JsonObject, rules: readonly JsonObject[]): JsonObject {
  return { apiVersion: RBAC_API_VERSION, kind: "Role", metadata: meta, rules };
}

function buildBinding(context: ManifestContext, name: string, { kind, metadata: of }: JsonObject): JsonObject {
  const { name: role, namespace } = of as { readonly name: string; readonly namespace?: string };
  const { name: account } = objectMetadata(context, SERVICE_ACCOUNT);
  return {
    apiVersion: RBAC_API_VERSION,
    kind: `${kind}Binding`,
    metadata: { ...objectMetadata(context, name), ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { apiGroup: RBAC_GROUP, kind: kind!, name: role },
    subjects: [{ kind: "ServiceAccount", name: account, namespace: context.project.namespace }],
  };
}

interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[] | undefined;
}

/** OPERATOR_NAME, which names the Lease of an operator whose code does not, may be set in the manifests. */
function withOperatorName(rules: readonly PolicyRule[], { project }: ManifestContext): readonly PolicyRule[] {
  const name = project.config.env?.["OPERATOR_NAME"];
  return rules.map((rule) =>
    typeof name !== "string" || rule.resourceNames === undefined
      ? rule
      : { ...rule, resourceNames: [...new Set([...rule.resourceNames, name])].sort() },
  );
}

/** Merges rules with equal API groups, resource names and verbs, as controller-gen does. */
function mergeRules(rules: readonly PolicyRule[]): readonly JsonObject[] {
  const merged = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const key = JSON.stringify([rule.apiGroups, rule.resourceNames ?? [], rule.verbs]);
    const existing = merged.get(key);
    merged.set(
      key,
      existing === undefined ? rule : { ...existing, resources: [...new Set([...existing.resources, ...rule.resources])].sort() },
    );
  }
  return [...merged.values()].map(({ apiGroups, resources, resourceNames, verbs }) => ({
    apiGroups,
    ...(resourceNames === undefined ? {} : { resourceNames }),
    resources,
    verbs,
  }));
}
