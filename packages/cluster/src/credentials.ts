import { generateKeyPairSync } from "node:crypto";
import { type OpenStore, StoreError } from "./store/index.ts";
import type { ClusterKeys } from "./testing/index.ts";
import { type Authority, authority } from "./tls/index.ts";

/** What makes certificates and tokens of a cluster its own. */
export interface Credentials {
  readonly authority: Authority;
  /** PEM. */
  readonly signingKey: string;
}

/** Those that are given, or kept with the store, so that kubeconfigs and tokens outlive a restart; otherwise new ones. */
export async function credentials({ keep }: OpenStore, given?: ClusterKeys): Promise<Credentials> {
  // Whoever checks a certificate goes by the time of day, whatever the cluster's clock says.
  const now = Date.now();
  if (given !== undefined) return { authority: authority("kubernetes", now, given), signingKey: given.signingKey ?? newSigningKey() };
  if (keep === undefined) return { authority: authority("kubernetes", now), signingKey: newSigningKey() };
  const text = await keep(() => {
    const { certificate, key } = authority("kubernetes", now);
    return [certificate, key, newSigningKey()].join("");
  });
  const [certificate, key, signingKey] = text.match(/-----BEGIN ([A-Z ]+)-----\n[^-]+-----END \1-----\n/g) ?? [];
  if (certificate === undefined || key === undefined || signingKey === undefined) {
    throw new StoreError(
      "the keys that are kept with the store cannot be read: a certificate and two private keys were expected. Restore them, or remove them to get new ones, which ends all kubeconfigs and tokens",
    );
  }
  return { authority: authority("kubernetes", now, { certificate, key }), signingKey };
}

function newSigningKey(): string {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}
