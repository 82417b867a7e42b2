import { createECDH, createHash, createPrivateKey } from "node:crypto";
import type { KeyPair } from "../tls/index.ts";

/** What makes certificates and tokens of a cluster its own, as PEM text. */
export interface ClusterKeys extends KeyPair {
  /** Signs the tokens of service accounts. Default: one of its own. */
  readonly signingKey?: string | undefined;
}

/** The same in every run, for tests that compare what a cluster holds. Its keys are no secret: anybody can work them out. */
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
    return keyOf("authority");
  },
  get signingKey() {
    return keyOf("tokens");
  },
};

/** A private key on P-256 whose number is a hash of what it is for. */
function keyOf(purpose: string): string {
  const number = createHash("sha256").update(`pintle test ${purpose}`).digest();
  const pair = createECDH("prime256v1");
  pair.setPrivateKey(number);
  const point = pair.getPublicKey();
  const text = (part: Buffer) => part.toString("base64url");
  const key = { kty: "EC", crv: "P-256", d: text(number), x: text(point.subarray(1, 33)), y: text(point.subarray(33)) };
  return createPrivateKey({ key, format: "jwk" }).export({ type: "pkcs8", format: "pem" }).toString();
}
