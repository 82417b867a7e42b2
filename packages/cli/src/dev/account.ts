import { readFile } from "node:fs/promises";
import type { Access, Client } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import { ServiceAccount } from "pintle/kinds/core/v1";
import { manifests } from "../manifests/index.ts";
import type { Operator, Project } from "../project/index.ts";
import { apply } from "../reach/index.ts";

const HOURS = 24;

/** Everything the operator may do, and nothing else: its account, its roles, their bindings. */
export async function grant(client: Client, project: Project, operator: Operator, signal: AbortSignal): Promise<void> {
  const objects = manifests({ project, operator }).filter(({ part, object }) => part === "rbac" || object["kind"] === "Namespace");
  // The namespace is where half of them go.
  const first = ({ object }: { readonly object: JsonObject }) => (object["kind"] === "Namespace" ? 0 : 1);
  for (const { object } of objects.toSorted((a, b) => first(a) - first(b))) await apply(client, object, signal);
}

/** A kubeconfig of the operator's own account. */
export async function accountKubeconfig(client: Client, access: Access, project: Project, signal: AbortSignal): Promise<string> {
  const ref = { name: `${project.name}-controller-manager`, namespace: project.namespace };
  const { token } = await client.token(ServiceAccount, ref, { expirationSeconds: HOURS * 3600, signal });
  const ca = access.ca === undefined ? undefined : (access.ca.data ?? (await readFile(access.ca.file!, "utf8")));
  const cluster = {
    server: access.server,
    ...(ca === undefined ? {} : { "certificate-authority-data": Buffer.from(ca).toString("base64") }),
    ...(access.serverName === undefined ? {} : { "tls-server-name": access.serverName }),
    ...(access.insecure === true ? { "insecure-skip-tls-verify": true } : {}),
    ...(access.proxy === undefined ? {} : { "proxy-url": access.proxy }),
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
