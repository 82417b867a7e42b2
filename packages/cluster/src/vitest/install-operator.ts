import type { ManagerOptions } from "pintle";
import type { Client } from "pintle/client";
import { collectResources, derivePermissions } from "pintle/internal/manager";
import { buildClientConfig, CONVERT_PATH, crdName, webhookNames } from "pintle/internal/webhook";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { ClusterRole, ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import type { Cluster } from "../index.ts";

const OPERATOR_NAME = "operator-under-test";
export const OPERATOR_NAMESPACE = "operator-system";
/** The Service of the webhooks. It has no endpoints: `routeService` sends its calls to this process. */
export const WEBHOOK_SERVICE = { namespace: OPERATOR_NAMESPACE, name: webhookNames("operator").service };
export const OPERATOR_USER = {
  name: `system:serviceaccount:${OPERATOR_NAMESPACE}:${OPERATOR_NAME}`,
  groups: ["system:serviceaccounts", `system:serviceaccounts:${OPERATOR_NAMESPACE}`, "system:authenticated"],
};

/** Creates the CRDs of an operator, with conversion at its webhook Service, and the role with the permissions that its code declares. */
export async function installOperator(cluster: Cluster, options: ManagerOptions, caCertificate: string): Promise<void> {
  const client = cluster.client();
  const conversion = buildClientConfig({ service: WEBHOOK_SERVICE }, CONVERT_PATH, caCertificate) as never;
  const resources = collectResources(options);
  for (const resource of resources) await client.apply(CustomResourceDefinition, resource.crd({ conversion }) as never, { force: true });
  for (const resource of resources) await client.waitFor(CustomResourceDefinition, { name: crdName(resource) }, isEstablished);
  await grantPermissions(client, options);
}

const isEstablished = ({ status }: CustomResourceDefinition) =>
  status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false;

async function grantPermissions(client: Client, options: ManagerOptions): Promise<void> {
  const { watchedNamespaces, ownNamespace, clusterWide } = derivePermissions(options.controllers, options);
  const metadata = { name: OPERATOR_NAME };
  await client.apply(ClusterRole, { metadata, rules: [...watchedNamespaces, ...ownNamespace, ...clusterWide] } as never);
  await client.apply(ClusterRoleBinding, {
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: OPERATOR_NAME },
    subjects: [{ kind: "ServiceAccount", name: OPERATOR_NAME, namespace: OPERATOR_NAMESPACE }],
  });
}
