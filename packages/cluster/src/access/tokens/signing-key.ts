import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";

/** Signs and recognises JSON Web Tokens. One that is made at start ends with the server, and its tokens do too. */
export interface SigningKey {
  sign(claims: object): string;
  /** The claims of a token in its form; whether a key we trust signed it is asked only then. Undefined: it is no such token. */
  read(token: string): { readonly claims: Readonly<Record<string, unknown>>; signed(): boolean } | undefined;
  /** The public halves, for whoever wants to check tokens. */
  readonly jwks: readonly (object & { readonly alg: string })[];
}

interface Verifier {
  readonly key: KeyObject;
  readonly id: string;
  readonly algorithm: Algorithm;
}
interface Algorithm {
  readonly name: string;
  readonly hash: string;
}

/** What Go's elliptic curves and RSA keys are used with. */
const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  prime256v1: { name: "ES256", hash: "sha256" },
  secp384r1: { name: "ES384", hash: "sha384" },
  secp521r1: { name: "ES512", hash: "sha512" },
  rsa: { name: "RS256", hash: "sha256" },
};
/** How the two numbers of an elliptic signature are written; RSA takes no notice. */
const ENCODING = { dsaEncoding: "ieee-p1363" } as const;

/**
 * `kept` is the private key as PEM text, RSA or on one of Go's curves; default: a new one on P-256. `trusted` are further
 * public keys, private keys or certificates whose tokens are good. Throws when one cannot be used.
 */
export function signingKey(kept?: string, trusted: readonly string[] = []): SigningKey {
  const privateKey = kept === undefined ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey : createPrivateKey(kept);
  const own = verifier(createPublicKey(privateKey));
  const others = trusted.map((text) => verifier(createPublicKey(text))).filter(({ id }) => id !== own.id);
  // What tokens are signed with counts only where it is trusted too.
  const all = trusted.length === 0 || trusted.length > others.length ? [own, ...others] : others;
  const head = base64({ alg: own.algorithm.name, kid: own.id });
  return {
    sign(claims) {
      const content = `${head}.${base64(claims)}`;
      return `${content}.${sign(own.algorithm.hash, Buffer.from(content), { key: privateKey, ...ENCODING }).toString("base64url")}`;
    },
    read(token) {
      const [header, body, signature, ...rest] = token.split(".");
      if (header === undefined || body === undefined || signature === undefined || rest.length > 0) return undefined;
      const claims = parsed(body);
      const heading = parsed(header);
      if (heading === undefined || claims === undefined) return undefined;
      const content = Buffer.from(`${header}.${body}`);
      const seal = Buffer.from(signature, "base64url");
      const signed = () =>
        all.some(({ key, algorithm: { name, hash } }) => heading["alg"] === name && verify(hash, content, { key, ...ENCODING }, seal));
      return { claims, signed };
    },
    jwks: all.map(({ key, id, algorithm: { name } }) => {
      const { kty, ...numbers } = key.export({ format: "jwk" });
      return { use: "sig", kty, kid: id, alg: name, ...numbers };
    }),
  };
}

function verifier(key: KeyObject): Verifier {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  const algorithm = ALGORITHMS[curve ?? key.asymmetricKeyType ?? ""];
  if (algorithm === undefined)
    throw new Error(`tokens cannot be signed with a key of the type ${curve ?? key.asymmetricKeyType}: take RSA or P-256`);
  const id = createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("base64url");
  return { key, id, algorithm };
}

function base64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function parsed(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
