import type { KeyPair } from "./tls/index.ts";

export interface KubeconfigFacts {
  readonly server: string;
  /** PEM; absent for plain HTTP. */
  readonly authority?: string | undefined;
  readonly client?: KeyPair | undefined;
}

/** A kubeconfig with one cluster, one user and one context, all of the same name. */
export function kubeconfig(name: string, { server, authority, client }: KubeconfigFacts): string {
  const data = (key: string, pem: string | undefined) => (pem === undefined ? [] : [`    ${key}: ${Buffer.from(pem).toString("base64")}`]);
  const user = [...data("client-certificate-data", client?.certificate), ...data("client-key-data", client?.key)];
  return [
    "apiVersion: v1",
    "kind: Config",
    `current-context: ${name}`,
    "clusters:",
    `- name: ${name}`,
    "  cluster:",
    `    server: ${server}`,
    ...data("certificate-authority-data", authority),
    "contexts:",
    `- name: ${name}`,
    "  context:",
    `    cluster: ${name}`,
    `    user: ${name}`,
    "users:",
    `- name: ${name}`,
    ...(user.length === 0 ? ["  user: {}"] : ["  user:", ...user]),
    "",
  ].join("\n");
}
