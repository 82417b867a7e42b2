import { createHmac, createPrivateKey, X509Certificate } from "node:crypto";
import type { JsonObject } from "pintle/kinds";
import { createCertificateAuthority } from "pintle/tls";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Replaces the values of a Secret. */
export type SubstituteSecret = (secret: JsonObject) => JsonObject;

/**
 * Replaces values by keyed hashes: equal values stay equal within a fork, and values cannot be guessed without the key. Certificates and keys are replaced by
 * generated ones for the same names, and the configuration of registries by an empty one, because programs parse them.
 */
export function createSecretSubstitution(key: Uint8Array, now: number): SubstituteSecret {
  const authority = createCertificateAuthority("fork", now);
  const hash = (value: string) => createHmac("sha256", key).update(value).digest("hex");
  const encode = (text: string) => Buffer.from(text).toString("base64");
  const issued = new Map<string, { readonly certificate: string; readonly key: string }>();
  /** The substitute for a certificate or a private key of one Secret: both must fit together. */
  const issue = (id: string, names: readonly string[]) => {
    const known =
      issued.get(id) ?? authority.issueServerCertificate({ commonName: names[0] ?? "fork" }, names.length === 0 ? ["localhost"] : names);
    issued.set(id, known);
    return known;
  };
  return (secret) => {
    const data = (secret["data"] ?? {}) as Readonly<Record<string, string>>;
    const texts = new Map(Object.entries(data).map(([name, value]) => [name, Buffer.from(value, "base64").toString("utf8")]));
    const certificates = [...texts.values()].flatMap((text) => parseCertificate(text) ?? []);
    const leaf = certificates.find((each) => !each.ca) ?? certificates[0];
    const metadata = secret["metadata"] as { readonly uid?: string };
    const substitute = (name: string, value: string) => {
      const text = texts.get(name) ?? "";
      const certificate = parseCertificate(text);
      const own = () => issue(metadata.uid ?? name, leaf === undefined ? [] : namesOf(leaf));
      if (certificate !== undefined) return encode(certificate.ca ? authority.certificate : own().certificate);
      if (isPrivateKey(text)) return encode(leaf?.ca === true ? authority.key : own().key);
      if (name === ".dockerconfigjson") return encode('{"auths":{}}');
      if (name === ".dockercfg") return encode("{}");
      return encode(hash(value));
    };
    const replaced = Object.fromEntries(Object.entries(data).map(([name, value]) => [name, substitute(name, value)]));
    const kept = withoutLastApplied(secret);
    return secret["data"] === undefined ? kept : { ...kept, data: replaced };
  };
}

/** `kubectl apply` keeps a copy of the values in an annotation. */
function withoutLastApplied(secret: JsonObject): JsonObject {
  const metadata = (secret["metadata"] ?? {}) as JsonObject;
  const annotations = metadata["annotations"] as Readonly<Record<string, string>> | undefined;
  if (annotations?.[LAST_APPLIED] === undefined) return secret;
  return { ...secret, metadata: { ...metadata, annotations: { ...annotations, [LAST_APPLIED]: '{"apiVersion":"v1","kind":"Secret"}' } } };
}

function parseCertificate(text: string): X509Certificate | undefined {
  if (!text.includes("-----BEGIN CERTIFICATE-----")) return undefined;
  try {
    return new X509Certificate(text);
  } catch {
    return undefined;
  }
}

function isPrivateKey(text: string): boolean {
  if (!text.includes("PRIVATE KEY-----")) return false;
  try {
    createPrivateKey(text);
    return true;
  } catch {
    return false;
  }
}

/** The DNS names and addresses of a certificate. */
function namesOf({ subjectAltName = "" }: X509Certificate): string[] {
  return subjectAltName.split(", ").flatMap((each) => {
    if (each.startsWith("DNS:")) return [each.slice("DNS:".length)];
    return each.startsWith("IP Address:") ? [each.slice("IP Address:".length)] : [];
  });
}
