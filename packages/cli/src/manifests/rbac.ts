import type { JsonObject } from "pintle/kinds";
import { type Context, metadata, SERVICE_ACCOUNT } from "./context.ts";
import { foldRules } from "./fold-rules.ts";
import type { Manifest } from "./manifest.ts";
import { certificateRules } from "./webhooks.ts";
import { workplaces } from "./workplaces.ts";

const GROUP = "rbac.authorization.k8s.io";
const API = `${GROUP}/v1`;

/** The operator's account and exactly what its code declares that it does. */
export function rbac(context: Context): readonly Manifest[] {
  const { work, home, cluster } = context.operator.permissions;
  const bound = (name: string, file: string, role: JsonObject): readonly Manifest[] => [
    { part: "rbac", file: `${file}.yaml`, object: role },
    { part: "rbac", file: `${file}_binding.yaml`, object: bindingOf(context, name, role) },
  ];
  const places = workplaces(context);
  const certificates = certificateRules(context);
  const inOwn = (name: string): JsonObject => ({ ...metadata(context, name, { namespaced: true }) });
  return [
    {
      part: "rbac",
      file: "service_account.yaml",
      object: { apiVersion: "v1", kind: "ServiceAccount", metadata: metadata(context, SERVICE_ACCOUNT, { namespaced: true }) },
    },
    ...(places === "all"
      ? bound("manager-rolebinding", "role", clusterRole(metadata(context, "manager-role"), foldRules(work)))
      : places.flatMap((namespace) =>
          bound("manager-rolebinding", "role", role({ ...metadata(context, "manager-role"), namespace }, foldRules(work))),
        )),
    ...bound("leader-election-rolebinding", "leader_election_role", role(inOwn("leader-election-role"), foldRules(home))),
    ...bound("metrics-auth-rolebinding", "metrics_auth_role", clusterRole(metadata(context, "metrics-auth-role"), foldRules(cluster))),
    ...(certificates.home.length === 0
      ? []
      : bound(
          "webhook-certificates-rolebinding",
          "webhook_certificates_role",
          role(inOwn("webhook-certificates-role"), certificates.home),
        )),
    ...(certificates.cluster.length === 0
      ? []
      : bound(
          "webhook-registration-rolebinding",
          "webhook_registration_role",
          clusterRole(metadata(context, "webhook-registration-role"), certificates.cluster),
        )),
    {
      part: "rbac",
      file: "metrics_reader_role.yaml",
      object: clusterRole(metadata(context, "metrics-reader"), [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }]),
    },
  ];
}

export function clusterRole(meta: JsonObject, rules: readonly JsonObject[]): JsonObject {
  return { apiVersion: API, kind: "ClusterRole", metadata: meta, rules };
}

function role(meta: JsonObject, rules: readonly JsonObject[]): JsonObject {
  return { apiVersion: API, kind: "Role", metadata: meta, rules };
}

function bindingOf(context: Context, name: string, { kind, metadata: of }: JsonObject): JsonObject {
  const { name: role, namespace } = of as { readonly name: string; readonly namespace?: string };
  const { name: account } = metadata(context, SERVICE_ACCOUNT);
  return {
    apiVersion: API,
    kind: `${kind}Binding`,
    metadata: { ...metadata(context, name), ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { apiGroup: GROUP, kind: kind!, name: role },
    subjects: [{ kind: "ServiceAccount", name: account, namespace: context.project.namespace }],
  };
}
