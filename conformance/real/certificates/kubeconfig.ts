import type { KeyPair } from "./certificates.ts";

/** Returns a kubeconfig with embedded certificates, so that the file can be copied anywhere. */
export function buildKubeconfig(server: string, authority: string, user: KeyPair): string {
  return `apiVersion: v1
kind: Config
current-context: real
clusters:
  - name: real
    cluster:
      server: ${server}
      certificate-authority-data: ${base64(authority)}
users:
  - name: real
    user:
      client-certificate-data: ${base64(user.certificate)}
      client-key-data: ${base64(user.key)}
contexts:
  - name: real
    context:
      cluster: real
      user: real
`;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
