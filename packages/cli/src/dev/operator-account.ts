import { readFile } from "node:fs/promises";
import type { Client, ClusterAccess } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import { ServiceAccount } from "pintle/kinds/core/v1";
import { buildManifests } from "../manifests/index.ts";
import type { OperatorDescription, Project } from "../project/index.ts";
import { applyObject } from "../target-cluster/index.ts";

const TOKEN_HOURS = 24;

/** Applies the operator's namespace, ServiceAccount, roles and bindings. */
export async function applyOperatorRbac(
  client: Client,
  project: Project,
  operator: OperatorDescription,
  signal: AbortSignal,
): Promise<void> {
  const objects = buildManifests({ project, operator }).filter(({ folder, object }) => folder === "rbac" || object["kind"] === "Namespace");
  // The Namespace must exist before the namespaced objects.
  const applyOrder = ({ object }: { readonly object: JsonObject }) => (object["kind"] === "Namespace" ? 0 : 1);
  for (const { object } of objects.toSorted((a, b) => applyOrder(a) - applyOrder(b))) await applyObject(client, object, signal);
}

/** Returns a kubeconfig that authenticates as the operator's ServiceAccount. */
export async function createServiceAccountKubeconfig(
  client: Client,
  access: ClusterAccess,
  project: Project,
  signal: AbortSignal,
): Promise<string> {
  const ref = { name: `${project.name}-controller-manager`, namespace: project.namespace };
  const { token } = await client.createToken(ServiceAccount, ref, { expirationSeconds: TOKEN_HOURS * 3600, signal });
  const ca = access.ca === undefined ? undefined : (access.ca.data ?? (await readFile(access.ca.file!, "utf8")));
  const cluster = {
    server: access.server,
    ...(ca === undefined ? {} : { "certificate-authority-data": Buffer.from(ca).toString("base64") }),
    ...(access.tlsServerName === undefined ? {} : { "tls-server-name": access.tlsServerName }),
    ...(access.insecureSkipTlsVerify === true ? { "insecure-skip-tls-verify": true } : {}),
    ...(access.proxyUrl === undefined ? {} : { "proxy-url": access.proxyUrl }),
  };
  const name = "operator";
  return `${JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name, cluster }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: project.namespace } }],
  })}\n`;
}
