import type { CertificateSet } from "./certificate-set.ts";

/** The annotation that stores `trustedSince`. */
const TRUSTED_SINCE_ANNOTATION = "pintle.dev/trusted-since";

/** Encodes certificates as the data of a Secret, with the keys of Kubernetes TLS Secrets. */
export function toSecretData({ caBundle, caKey, leaf, trustedSince }: CertificateSet) {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return {
    annotations: { [TRUSTED_SINCE_ANNOTATION]: new Date(trustedSince).toISOString() },
    data: {
      "ca.crt": base64(caBundle),
      "ca.key": base64(caKey),
      "tls.crt": base64(leaf.certificate),
      "tls.key": base64(leaf.key),
    },
  };
}

/** Decodes the certificates of a Secret. Returns undefined if it is empty, as it is installed, or incomplete. */
export function parseSecret(secret: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
  readonly data?: Readonly<Record<string, string>> | undefined;
}): CertificateSet | undefined {
  const text = (name: string) => Buffer.from(secret.data?.[name] ?? "", "base64").toString("utf8");
  const [bundle, authorityKey, certificate, key] = ["ca.crt", "ca.key", "tls.crt", "tls.key"].map(text) as [string, string, string, string];
  if (bundle === "" || authorityKey === "" || certificate === "" || key === "") return undefined;
  const since = Date.parse(secret.metadata.annotations?.[TRUSTED_SINCE_ANNOTATION] ?? "");
  return { caBundle: bundle, caKey: authorityKey, leaf: { certificate, key }, trustedSince: Number.isNaN(since) ? 0 : since };
}
