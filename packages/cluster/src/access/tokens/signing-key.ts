import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { PintleError } from "pintle/internal/errors";

/** Signs and verifies JSON Web Tokens. A generated key, and with it the tokens, ends with the server. */
export interface SigningKey {
  sign(claims: object): string;
  /** Parses a token without verifying it; `signed()` verifies the signature. Undefined if it is not a JWT. */
  parse(token: string): { readonly claims: Readonly<Record<string, unknown>>; signed(): boolean } | undefined;
  /** Public keys for token verification by others. */
  readonly jwks: readonly (object & { readonly alg: string })[];
}

interface VerificationKey {
  readonly key: KeyObject;
  readonly id: string;
  readonly algorithm: SigningAlgorithm;
}
interface SigningAlgorithm {
  readonly name: string;
  readonly hash: string;
}

/** Signature algorithms by curve or key type, as Go uses them. */
const ALGORITHMS: Readonly<Record<string, SigningAlgorithm>> = {
  prime256v1: { name: "ES256", hash: "sha256" },
  secp384r1: { name: "ES384", hash: "sha384" },
  secp521r1: { name: "ES512", hash: "sha512" },
  rsa: { name: "RS256", hash: "sha256" },
};
/** Encoding of elliptic curve signatures; ignored for RSA. */
const SIGNATURE_ENCODING = { dsaEncoding: "ieee-p1363" } as const;

/**
 * Loads a private key from PEM (RSA or an elliptic curve); default: a new P-256 key. `trusted` are further public keys, private keys or
 * certificates that verify tokens. Throws for unsupported keys.
 */
export function loadSigningKey(privateKeyPem?: string, trusted: readonly string[] = []): SigningKey {
  const privateKey =
    privateKeyPem === undefined ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey : createPrivateKey(privateKeyPem);
  const own = createVerificationKey(createPublicKey(privateKey));
  const others = trusted.map((text) => createVerificationKey(createPublicKey(text))).filter(({ id }) => id !== own.id);
  // With explicit trusted keys, the signing key verifies tokens only if it is among them.
  const all = trusted.length === 0 || trusted.length > others.length ? [own, ...others] : others;
  const head = encodeBase64Url({ alg: own.algorithm.name, kid: own.id });
  return {
    sign(claims) {
      const content = `${head}.${encodeBase64Url(claims)}`;
      return `${content}.${sign(own.algorithm.hash, Buffer.from(content), { key: privateKey, ...SIGNATURE_ENCODING }).toString("base64url")}`;
    },
    parse(token) {
      const [header, body, signature, ...rest] = token.split(".");
      if (header === undefined || body === undefined || signature === undefined || rest.length > 0) return undefined;
      const claims = parseTokenPart(body);
      const heading = parseTokenPart(header);
      if (heading === undefined || claims === undefined) return undefined;
      const content = Buffer.from(`${header}.${body}`);
      const seal = Buffer.from(signature, "base64url");
      const sign = () =>
        all.some(
          ({ key, algorithm: { name, hash } }) => heading["alg"] === name && verify(hash, content, { key, ...SIGNATURE_ENCODING }, seal),
        );
      return { claims, signed: sign };
    },
    jwks: all.map(({ key, id, algorithm: { name } }) => {
      const { kty, ...numbers } = key.export({ format: "jwk" });
      return { use: "sig", kty, kid: id, alg: name, ...numbers };
    }),
  };
}

function createVerificationKey(key: KeyObject): VerificationKey {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  const algorithm = ALGORITHMS[curve ?? key.asymmetricKeyType ?? ""];
  if (algorithm === undefined)
    throw new PintleError(
      "PINTLE6550",
      `unsupported key type ${curve ?? key.asymmetricKeyType} for service account tokens: use RSA or P-256`,
    );
  const id = createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("base64url");
  return { key, id, algorithm };
}

function encodeBase64Url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function parseTokenPart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
