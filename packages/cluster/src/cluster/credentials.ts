import { createPrivateKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { splitPemBlocks } from "pintle/internal/text";
import { type CertificateAuthority, createCertificateAuthority } from "pintle/tls";
import { adviseOnKeys, type OpenedStore, StoreError } from "../store/index.ts";
import type { ClusterKeys } from "../testing/index.ts";

/** Certificate authority and token signing key of a cluster. */
export interface ClusterCredentials {
  /** The certificate authority, which issues the certificates of servers and clients. */
  readonly authority: CertificateAuthority;
  /** PEM key that signs service account tokens. */
  readonly signingKey: string;
}

/**
 * Returns the given keys, or those stored with the objects, so that kubeconfigs and tokens survive a restart; otherwise new ones. Throws
 * `StoreError` if the stored keys cannot be parsed.
 */
export async function loadCredentials(opened: OpenedStore, keys?: ClusterKeys): Promise<ClusterCredentials> {
  const { loadOrCreateSecret, secretLocation = "the stored keys" } = opened;
  if (keys !== undefined) return restoreCredentials(keys);
  const now = Date.now();
  if (loadOrCreateSecret === undefined) return createClusterCredentials();
  const text = await loadOrCreateSecret(() => {
    const { certificate, key } = createCertificateAuthority("kubernetes", now);
    return [certificate, key, generateSigningKey()].join("");
  });
  const [certificate, key, signingKey] = splitPemBlocks(text).map((block) => `${block.text}\n`);
  const problem = findKeyProblem(certificate, key, signingKey);
  if (problem !== undefined)
    throw new StoreError("PINTLE6502", `${secretLocation} is damaged: ${problem}. ${adviseOnKeys(secretLocation)}`);
  return restoreCredentials({ certificate, key, signingKey } as Required<ClusterKeys>);
}

/** Creates the credentials of a new cluster. */
export function createClusterCredentials(): ClusterCredentials {
  return { authority: createCertificateAuthority("kubernetes", Date.now()), signingKey: generateSigningKey() };
}

/** Says what is wrong with stored keys; undefined if nothing is. */
function findKeyProblem(certificate?: string, key?: string, signingKey?: string): string | undefined {
  if (certificate === undefined || key === undefined || signingKey === undefined) return "it must hold a certificate and two private keys";
  try {
    createPrivateKey(signingKey);
    const parsed = new X509Certificate(certificate);
    if (!parsed.checkPrivateKey(createPrivateKey(key))) return "its first private key is not that of its certificate";
    return parsed.verify(parsed.publicKey) ? undefined : "the signature of its certificate is wrong";
  } catch (error) {
    return `a key or certificate in it cannot be parsed (${(error as Error).message})`;
  }
}

/** Creates the credentials of given keys; a missing token key is generated. */
export function restoreCredentials(keys: ClusterKeys): ClusterCredentials {
  // Certificates are validated by the system time, whatever the cluster's clock is.
  return { authority: createCertificateAuthority("kubernetes", Date.now(), keys), signingKey: keys.signingKey ?? generateSigningKey() };
}

function generateSigningKey(): string {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}
