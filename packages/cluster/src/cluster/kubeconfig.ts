import type { CertificateKeyPair } from "pintle/tls";

export interface KubeconfigOptions {
  readonly server: string;
  /** PEM authority of the server; absent for plain HTTP. */
  readonly authority?: string | undefined;
  readonly client?: CertificateKeyPair | undefined;
}

/** Builds a kubeconfig with one cluster, user and context of the same name. */
export function buildKubeconfig(name: string, { server, authority, client }: KubeconfigOptions): string {
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
