import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, scryptSync } from "node:crypto";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import { PintleError } from "pintle/internal/errors";

/** A key pair as PEM. */
export interface KeyPair {
  /** Encrypted with the password, as `cosign.key`. */
  readonly privateKey: string;
  /** As `cosign.pub`. */
  readonly publicKey: string;
}

const ENCRYPTED_TYPES = ["ENCRYPTED SIGSTORE PRIVATE KEY", "ENCRYPTED COSIGN PRIVATE KEY"];
const KEY_BYTES = 32;
const SALT_BYTES = 32;
const NONCE_BYTES = 24;
/** cosign's parameters. */
const SCRYPT = { N: 65_536, r: 8, p: 1 } as const;
/** A file may ask for more work than its reader can afford. */
const MAX_SCRYPT_BYTES = 512 << 20;

/** Creates an ECDSA key on the curve P-256, whose private part is encrypted as cosign does. */
export function createKeyPair(password: string, random: (bytes: number) => Uint8Array = randomBytes): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const [salt, nonce] = [random(SALT_BYTES), random(NONCE_BYTES)];
  const sealed = xsalsa20poly1305(deriveKey(password, salt, SCRYPT), nonce).encrypt(privateKey.export({ format: "der", type: "pkcs8" }));
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
  const file = {
    kdf: { name: "scrypt", params: SCRYPT, salt: base64(salt) },
    cipher: { name: "nacl/secretbox", nonce: base64(nonce) },
    ciphertext: base64(sealed),
  };
  const lines = base64(Buffer.from(JSON.stringify(file))).replaceAll(/.{1,64}/g, "$&\n");
  return {
    privateKey: `-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\n${lines}-----END ENCRYPTED SIGSTORE PRIVATE KEY-----\n`,
    publicKey: String(publicKey.export({ format: "pem", type: "spki" })),
  };
}

/**
 * Reads a private key: one of cosign, with its password, or any PEM that Node reads. Throws `PintleError` if it cannot sign.
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { readSigningKey } from "@pintle/lifecycle";
 *
 * const key = readSigningKey(readFileSync("cosign.key", "utf8"), process.env["COSIGN_PASSWORD"]);
 * ```
 */
export function readSigningKey(pem: string, password: string | undefined): KeyObject {
  const encrypted = findEncrypted(pem);
  if (encrypted === undefined) return assertCurve(parseKey(() => createPrivateKey({ key: pem, passphrase: password ?? "" })));
  if (password === undefined) throw unusable("it is encrypted: set its password in COSIGN_PASSWORD");
  const decrypted = Buffer.from(decrypt(encrypted, password));
  return assertCurve(parseKey(() => createPrivateKey({ key: decrypted, format: "der", type: "pkcs8" })));
}

/**
 * Reads a public key, or the public part of an unencrypted private key. Throws `PintleError` for other kinds of keys than ECDSA P-256.
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { readPublicKey } from "@pintle/lifecycle";
 *
 * const key = readPublicKey(readFileSync("cosign.pub", "utf8"));
 * ```
 */
export function readPublicKey(pem: string): KeyObject {
  if (findEncrypted(pem) !== undefined)
    throw unusable("it is a private key: signatures are verified with the public key, such as cosign.pub");
  return assertCurve(parseKey(() => createPublicKey(pem)));
}

/** The name by which bundles of Sigstore refer to a key: the SHA-256 of its public part. */
export function keyHint(key: KeyObject): string {
  const publicKey = key.type === "private" ? createPublicKey(key) : key;
  return createHash("sha256")
    .update(publicKey.export({ format: "der", type: "spki" }))
    .digest("base64");
}

/** The Base64 text of an encrypted key; undefined for other PEM. */
function findEncrypted(pem: string): string | undefined {
  const text = pem.trim();
  const type = ENCRYPTED_TYPES.find((each) => text.startsWith(`-----BEGIN ${each}-----`) && text.endsWith(`-----END ${each}-----`));
  return type === undefined ? undefined : text.slice(type.length + "-----BEGIN -----".length, -(type.length + "-----END -----".length));
}

function parseKey(read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch (error) {
    throw unusable((error as Error).message);
  }
}

function assertCurve(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1") return key;
  throw unusable(`it is of type ${key.asymmetricKeyType}: only ECDSA on the curve P-256 is supported, as cosign creates it`);
}

function decrypt(text: string, password: string): Uint8Array {
  let file: {
    readonly kdf: { readonly name: string; readonly params: typeof SCRYPT; readonly salt: string };
    readonly cipher: { readonly name: string; readonly nonce: string };
    readonly ciphertext: string;
  };
  try {
    file = JSON.parse(Buffer.from(text, "base64").toString()) as typeof file;
  } catch {
    throw unusable("the file is damaged");
  }
  if (file.kdf?.name !== "scrypt" || file.cipher?.name !== "nacl/secretbox") throw unusable("it is encrypted in an unknown way");
  const { N, r, p } = file.kdf.params;
  if (128 * N * r > MAX_SCRYPT_BYTES || p > 16) throw unusable("its password takes more memory than is allowed");
  const bytes = (base64: string) => Buffer.from(base64, "base64");
  const nonce = bytes(file.cipher.nonce);
  if (nonce.length !== NONCE_BYTES) throw unusable("the file is damaged");
  try {
    return xsalsa20poly1305(deriveKey(password, bytes(file.kdf.salt), { N, r, p }), nonce).decrypt(bytes(file.ciphertext));
  } catch {
    throw unusable("the password is wrong");
  }
}

function deriveKey(
  password: string,
  salt: Uint8Array,
  { N, r, p }: { readonly N: number; readonly r: number; readonly p: number },
): Buffer {
  return scryptSync(password, salt, KEY_BYTES, { N, r, p, maxmem: 2 * MAX_SCRYPT_BYTES });
}

function unusable(why: string): PintleError {
  return new PintleError("PINTLE8060", `cannot use the key: ${why}`);
}
