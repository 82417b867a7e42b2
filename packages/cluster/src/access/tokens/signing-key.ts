import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";

/** Signs and recognises JSON Web Tokens. One that is made at start ends with the server, and its tokens do too. */
export interface SigningKey {
  sign(claims: object): string;
  /** The claims of a token in its form; whether this key signed it is asked only then. Undefined: it is no such token. */
  read(token: string): { readonly claims: Readonly<Record<string, unknown>>; signed(): boolean } | undefined;
  /** The public half, for whoever wants to check tokens. */
  readonly jwk: object;
}

const ALGORITHM = "ES256";

/** `kept` is the private key as PEM text, on P-256. */
export function signingKey(kept?: string): SigningKey {
  const privateKey = kept === undefined ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey : createPrivateKey(kept);
  const publicKey = createPublicKey(privateKey);
  const id = createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64url");
  const { x, y } = publicKey.export({ format: "jwk" });
  const key = { dsaEncoding: "ieee-p1363" } as const;
  const head = base64({ alg: ALGORITHM, kid: id });
  return {
    sign(claims) {
      const content = `${head}.${base64(claims)}`;
      return `${content}.${sign("sha256", Buffer.from(content), { key: privateKey, ...key }).toString("base64url")}`;
    },
    read(token) {
      const [header, body, signature, ...rest] = token.split(".");
      if (header === undefined || body === undefined || signature === undefined || rest.length > 0) return undefined;
      const claims = parsed(body);
      if (parsed(header) === undefined || claims === undefined) return undefined;
      const signed = () =>
        header === head &&
        verify("sha256", Buffer.from(`${header}.${body}`), { key: publicKey, ...key }, Buffer.from(signature, "base64url"));
      return { claims, signed };
    },
    jwk: { use: "sig", kty: "EC", kid: id, crv: "P-256", alg: ALGORITHM, x, y },
  };
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
