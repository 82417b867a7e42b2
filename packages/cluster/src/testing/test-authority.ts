import { createECDH, createHash, createPrivateKey } from "node:crypto";
import type { CertificateKeyPair } from "pintle/tls";

/** Certificate authority and token signing key of a cluster, as PEM. */
export interface ClusterKeys extends CertificateKeyPair {
  /** Signs service account tokens. Default: a generated key. */
  readonly signingKey?: string | undefined;
}

/**
 * A certificate authority that is the same in every run, for tests that compare stored objects. Its keys are derived from a constant and
 * not secret.
 *
 * @example
 * ```ts
 * import { startCluster, testAuthority } from "@pintle/cluster";
 *
 * const cluster = await startCluster({ authority: testAuthority });
 * await cluster.stop();
 * ```
 */
export const testAuthority: ClusterKeys = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBbTCCAROgAwIBAgIRAK5Zbp+Yuobrr7NSoqYVkzYwCgYIKoZIzj0EAwIwFTET
MBEGA1UEAwwKa3ViZXJuZXRlczAgFw0wMDAxMDEwMDAwMDBaGA8yMjAwMDEwMzAw
MDAwMFowFTETMBEGA1UEAwwKa3ViZXJuZXRlczBZMBMGByqGSM49AgEGCCqGSM49
AwEHA0IABJd1UPShaaCCnIhF4BBFTLO/PK/cpIt6FxpSa6XuqquxyeyTAtZMQZou
t8OFUmDO0SlTaMHFIpWAWGEabNfekFWjQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYD
VR0PAQH/BAQDAgGGMB0GA1UdDgQWBBRHNZ4Sshuh6Krx9Nz2L/8yBkFARTAKBggq
hkjOPQQDAgNIADBFAiEAloGi3gIvEAZwYylGxGJ3Cwu3gFnVujYr7Ln2Zrzdpc8C
IB/TNPdvwHhwoyowjN8JjKoqghvH6T7kTOBCcn7FmMaY
-----END CERTIFICATE-----
`,
  get key() {
    return deriveKey("authority");
  },
  get signingKey() {
    return deriveKey("tokens");
  },
};

/** Derives a P-256 private key from the hash of its purpose. */
function deriveKey(purpose: string): string {
  const number = createHash("sha256").update(`pintle test ${purpose}`).digest();
  const pair = createECDH("prime256v1");
  pair.setPrivateKey(number);
  const point = pair.getPublicKey();
  const text = (part: Buffer) => part.toString("base64url");
  const key = { kty: "EC", crv: "P-256", d: text(number), x: text(point.subarray(1, 33)), y: text(point.subarray(33)) };
  return createPrivateKey({ key, format: "jwk" }).export({ type: "pkcs8", format: "pem" }).toString();
}
