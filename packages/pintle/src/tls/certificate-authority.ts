import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
import {
  bitString,
  boolean,
  explicit,
  implicit,
  integer,
  objectId,
  octetString,
  sequence,
  set,
  smallInteger,
  time,
  utf8String,
} from "./der.ts";

/** A certificate and its private key, as PEM text. */
export interface CertificateKeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** The subject of a certificate: for clients, user name and groups. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations?: readonly string[] | undefined;
}

/** Issues certificates; peers must trust its `certificate`. */
export interface CertificateAuthority extends CertificateKeyPair {
  /** Issues a server certificate for DNS names and IP addresses. Default lifetime: that of the authority. */
  issueServerCertificate(subject: CertificateSubject, names: readonly string[], lifetime?: number): CertificateKeyPair;
  /** Issues a client certificate. */
  issueClientCertificate(subject: CertificateSubject): CertificateKeyPair;
}

const ECDSA_SHA256 = sequence(objectId("1.2.840.10045.4.3.2"));
const COMMON_NAME = "2.5.4.3";
const ORGANIZATION = "2.5.4.10";
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
const DAY = 24 * 3600 * 1000;
const TEN_YEARS = 3650 * DAY;

/**
 * Returns a certificate authority with a P-256 key: a new one, or an existing one. `now` is the time in milliseconds since 1970, `lifetime`
 * is in milliseconds (default: ten years). Certificates are valid from a day before `now`, to tolerate clock skew.
 *
 * @example
 * ```ts
 * import { createCertificateAuthority } from "pintle/tls";
 *
 * const authority = createCertificateAuthority("my-ca", Date.now());
 * const { certificate, key } = authority.issueServerCertificate({ commonName: "web" }, ["web.default.svc", "127.0.0.1"]);
 * console.log(authority.certificate, certificate, key.length);
 * ```
 */
export function createCertificateAuthority(
  commonName: string,
  now: number,
  existing?: CertificateKeyPair,
  lifetime = TEN_YEARS,
): CertificateAuthority {
  const keys = existing === undefined ? generateKeys() : importKeys(existing.key);
  const subject: CertificateSubject = { commonName };
  const certificate =
    existing?.certificate ??
    signCertificate({
      subject,
      issuer: subject,
      keys,
      signer: keys.privateKey,
      issuerKey: keys.publicKey,
      validity: { from: now - DAY, to: now + lifetime },
      usage: { type: "authority" },
    });
  const issueLeaf = (of: CertificateSubject, usage: CertificateUsage, leafLifetime = lifetime): CertificateKeyPair => {
    const own = generateKeys();
    const validity = { from: now - DAY, to: now + leafLifetime };
    return {
      certificate: signCertificate({
        subject: of,
        issuer: subject,
        keys: own,
        signer: keys.privateKey,
        issuerKey: keys.publicKey,
        validity,
        usage,
      }),
      key: encodePrivateKey(own.privateKey),
    };
  };
  return {
    certificate,
    key: encodePrivateKey(keys.privateKey),
    issueServerCertificate: (of, names, leafLifetime) => issueLeaf(of, { type: "server", names }, leafLifetime),
    issueClientCertificate: (of) => issueLeaf(of, { type: "client" }),
  };
}

type CertificateUsage =
  | { readonly type: "authority" }
  | { readonly type: "client" }
  | { readonly type: "server"; readonly names: readonly string[] };
interface AsymmetricKeys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

function generateKeys(): AsymmetricKeys {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function importKeys(key: string): AsymmetricKeys {
  const privateKey = createPrivateKey(key);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** SEC1 ("EC PRIVATE KEY"): clients in Java cannot read an EC key as PKCS #8. */
function encodePrivateKey(key: KeyObject): string {
  return key.export({ type: "sec1", format: "pem" }).toString();
}

interface SigningInput {
  readonly subject: CertificateSubject;
  readonly issuer: CertificateSubject;
  readonly keys: AsymmetricKeys;
  readonly signer: KeyObject;
  readonly issuerKey: KeyObject;
  readonly validity: { readonly from: number; readonly to: number };
  readonly usage: CertificateUsage;
}

function signCertificate({ subject, issuer, keys, signer, issuerKey, validity, usage }: SigningInput): string {
  const body = sequence(
    explicit(0, smallInteger(2)),
    integer(randomBytes(16)),
    ECDSA_SHA256,
    encodeDistinguishedName(issuer),
    sequence(time(new Date(validity.from)), time(new Date(validity.to))),
    encodeDistinguishedName(subject),
    keys.publicKey.export({ type: "spki", format: "der" }),
    explicit(3, sequence(...encodeExtensions(usage, keys.publicKey, issuerKey))),
  );
  const signature = sign("sha256", body, signer);
  const der = sequence(body, ECDSA_SHA256, bitString(signature));
  const lines = der.toString("base64").match(/.{1,64}/g) as readonly string[];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function encodeDistinguishedName({ commonName, organizations = [] }: CertificateSubject): Buffer {
  const attribute = (id: string, value: string) => set(sequence(objectId(id), utf8String(value)));
  return sequence(...organizations.map((each) => attribute(ORGANIZATION, each)), attribute(COMMON_NAME, commonName));
}

function encodeExtensions(use: CertificateUsage, key: KeyObject, issuerKey: KeyObject): Buffer[] {
  const extension = (id: string, critical: boolean, value: Buffer) =>
    critical ? sequence(objectId(id), boolean(true), octetString(value)) : sequence(objectId(id), octetString(value));
  const keyUsage = (bits: number, unused: number) => extension("2.5.29.15", true, bitString(Buffer.from([bits]), unused));
  const basicConstraints = extension("2.5.29.19", true, use.type === "authority" ? sequence(boolean(true)) : sequence());
  const subjectKey = extension("2.5.29.14", false, octetString(computeKeyIdentifier(key)));
  // digitalSignature + keyCertSign + cRLSign
  if (use.type === "authority") return [basicConstraints, keyUsage(0b1000_0110, 1), subjectKey];
  const common = [
    basicConstraints,
    keyUsage(0b1000_0000, 7),
    extension("2.5.29.37", false, sequence(objectId(use.type === "server" ? SERVER_AUTH : CLIENT_AUTH))),
    subjectKey,
    extension("2.5.29.35", false, sequence(implicit(0, computeKeyIdentifier(issuerKey)))),
  ];
  return use.type === "client" ? common : [...common, extension("2.5.29.17", false, sequence(...use.names.map(encodeAlternativeName)))];
}

function computeKeyIdentifier(key: KeyObject): Buffer {
  return createHash("sha1")
    .update(key.export({ type: "spki", format: "der" }))
    .digest();
}

function encodeAlternativeName(name: string): Buffer {
  const family = isIP(name);
  if (family === 0) return implicit(2, Buffer.from(name));
  return implicit(7, family === 4 ? Buffer.from(name.split(".").map(Number)) : encodeIpv6(name));
}

function encodeIpv6(text: string): Buffer {
  const [head = "", tail] = text.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const all = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
