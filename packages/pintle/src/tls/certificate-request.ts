import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, verify, X509Certificate } from "node:crypto";
import { PintleError } from "../errors/index.ts";
import type { CertificateKeyPair, CertificateSubject } from "./certificate-authority.ts";
import { bitString, boolean, explicit, implicit, integer, objectId, octetString, sequence, smallInteger, time } from "./der.ts";
import { DER_TAGS, type DerValue, readDerChildren, readDerContent, readDerObjectId, readDerValues } from "./der-reader.ts";

/** A certificate signing request (PKCS #10) whose signature was verified. */
export interface CertificateRequest {
  /** The common name and the organizations: for clients, user name and groups. */
  readonly subject: CertificateSubject;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  /** Subject, public key and subject alternative names in DER, for the certificate. */
  readonly der: { readonly subject: Buffer; readonly publicKey: Buffer; readonly alternativeNames: Buffer | undefined };
}

/** What a certificate that is issued for a request is valid for. */
export interface IssueOptions {
  /** Usages by the names of the certificates.k8s.io API: "client auth", "digital signature". */
  readonly usages: readonly string[];
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  /** Milliseconds since 1970; the certificate does not outlive the authority. */
  readonly notAfter: number;
}

const COMMON_NAME = "2.5.4.3";
const ORGANIZATION = "2.5.4.10";
const EXTENSION_REQUEST = "1.2.840.113549.1.9.14";
const SUBJECT_ALTERNATIVE_NAME = "2.5.29.17";

/** The digests of signature algorithms; null: the algorithm has its own. */
const SIGNATURE_DIGESTS: Readonly<Record<string, string | null>> = {
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
  "1.3.101.112": null,
};

const KEY_USAGES: Readonly<Record<string, number>> = {
  signing: 0x8000,
  "digital signature": 0x8000,
  "content commitment": 0x4000,
  "key encipherment": 0x2000,
  "data encipherment": 0x1000,
  "key agreement": 0x0800,
  "cert sign": 0x0400,
  "crl sign": 0x0200,
  "encipher only": 0x0100,
  "decipher only": 0x0080,
};
const EXTENDED_KEY_USAGES: Readonly<Record<string, string>> = {
  any: "2.5.29.37.0",
  "server auth": "1.3.6.1.5.5.7.3.1",
  "client auth": "1.3.6.1.5.5.7.3.2",
  "code signing": "1.3.6.1.5.5.7.3.3",
  "email protection": "1.3.6.1.5.5.7.3.4",
  "s/mime": "1.3.6.1.5.5.7.3.4",
  "ipsec end system": "1.3.6.1.5.5.7.3.5",
  "ipsec tunnel": "1.3.6.1.5.5.7.3.6",
  "ipsec user": "1.3.6.1.5.5.7.3.7",
  timestamping: "1.3.6.1.5.5.7.3.8",
  "ocsp signing": "1.3.6.1.5.5.7.3.9",
  "microsoft sgc": "1.3.6.1.4.1.311.10.3.3",
  "netscape sgc": "2.16.840.1.113730.4.1",
};

/**
 * Parses a certificate signing request in DER, and verifies that it was signed with its own key. Throws `PintleError` otherwise.
 *
 * @example
 * ```ts
 * import { parseCertificateRequest } from "pintle/tls";
 *
 * declare const der: Buffer;
 * const { subject, dnsNames } = parseCertificateRequest(der);
 * console.log(subject.commonName, dnsNames);
 * ```
 */
export function parseCertificateRequest(der: Buffer): CertificateRequest {
  const [root, ...rest] = readDerValues(der);
  if (rest.length > 0) throw new PintleError("PINTLE1061", "trailing data after the certificate request");
  const [info, algorithm, signature] = readDerChildren(root, DER_TAGS.sequence);
  const [version, subject, publicKey, attributes] = readDerChildren(info, DER_TAGS.sequence);
  readDerContent(version, DER_TAGS.integer);
  const subjectValue = subject as DerValue;
  const names = readDistinguishedName(subjectValue);
  readDerContent(publicKey, DER_TAGS.sequence);
  verifySignature((info as DerValue).bytes, (publicKey as DerValue).bytes, algorithm, signature);
  const alternativeNames = findAlternativeNames(attributes);
  return {
    subject: { commonName: names.get(COMMON_NAME)?.at(-1) ?? "", organizations: names.get(ORGANIZATION) ?? [] },
    ...readAlternativeNames(alternativeNames),
    der: { subject: subjectValue.bytes, publicKey: (publicKey as DerValue).bytes, alternativeNames },
  };
}

function verifySignature(signed: Buffer, publicKey: Buffer, algorithm: DerValue | undefined, signature: DerValue | undefined): void {
  const id = readDerObjectId(readDerChildren(algorithm, DER_TAGS.sequence)[0]);
  const digest = SIGNATURE_DIGESTS[id];
  if (digest === undefined) throw new PintleError("PINTLE1061", `the signature algorithm ${id} is not supported`);
  const bits = readDerContent(signature, DER_TAGS.bitString).subarray(1);
  if (!verify(digest, signed, importPublicKey(publicKey), bits))
    throw new PintleError("PINTLE1061", "the certificate request is not signed with its own key");
}

function importPublicKey(der: Buffer): KeyObject {
  try {
    return createPublicKey({ key: der, type: "spki", format: "der" });
  } catch (error) {
    throw new PintleError("PINTLE1061", "the public key of the certificate request cannot be read", { cause: error });
  }
}

/** Reads attribute values by object identifier. */
function readDistinguishedName(name: DerValue): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const set of readDerChildren(name, DER_TAGS.sequence)) {
    for (const attribute of readDerChildren(set, DER_TAGS.set)) {
      const [id, value] = readDerChildren(attribute, DER_TAGS.sequence);
      const key = readDerObjectId(id);
      values.set(key, [...(values.get(key) ?? []), value?.content.toString("utf8") ?? ""]);
    }
  }
  return values;
}

/** Returns the subject alternative names that the request asks for, in DER. */
function findAlternativeNames(attributes: DerValue | undefined): Buffer | undefined {
  for (const attribute of attributes === undefined ? [] : readDerValues(attributes.content)) {
    const [id, values] = readDerChildren(attribute, DER_TAGS.sequence);
    if (readDerObjectId(id) !== EXTENSION_REQUEST) continue;
    for (const extension of readDerChildren(readDerChildren(values, DER_TAGS.set)[0], DER_TAGS.sequence)) {
      const parts = readDerChildren(extension, DER_TAGS.sequence);
      if (readDerObjectId(parts[0]) === SUBJECT_ALTERNATIVE_NAME) return readDerContent(parts.at(-1), DER_TAGS.octetString);
    }
  }
  return undefined;
}

function readAlternativeNames(der: Buffer | undefined): Pick<CertificateRequest, "dnsNames" | "ipAddresses" | "emailAddresses" | "uris"> {
  const names = der === undefined ? [] : readDerChildren(readDerValues(der)[0], DER_TAGS.sequence);
  const select = (tag: number, format: (content: Buffer) => string) =>
    names.filter((name) => name.tag === tag).map((name) => format(name.content));
  const text = (content: Buffer) => content.toString("latin1");
  return {
    emailAddresses: select(0x81, text),
    dnsNames: select(0x82, text),
    uris: select(0x86, text),
    ipAddresses: select(0x87, formatIp),
  };
}

function formatIp(content: Buffer): string {
  if (content.length === 4) return content.join(".");
  if (content.length !== 16) throw new PintleError("PINTLE1061", "an IP address has 4 or 16 bytes");
  return Array.from({ length: 8 }, (_each, i) => content.readUInt16BE(2 * i).toString(16)).join(":");
}

/**
 * Issues a certificate for a request: subject, public key and alternative names are those of the request. Returns it as PEM. Throws
 * `PintleError` for an unknown usage, or when the authority is not valid at `notBefore` any more.
 *
 * @example
 * ```ts
 * import { createCertificateAuthority, issueCertificate, parseCertificateRequest } from "pintle/tls";
 *
 * declare const der: Buffer;
 * const authority = createCertificateAuthority("my-ca", Date.now());
 * const day = 24 * 3600 * 1000;
 * const validity = { notBefore: Date.now(), notAfter: Date.now() + day };
 * console.log(issueCertificate(parseCertificateRequest(der), authority, { usages: ["client auth"], ...validity }));
 * ```
 */
export function issueCertificate(request: CertificateRequest, authority: CertificateKeyPair, options: IssueOptions): string {
  const issuer = new X509Certificate(authority.certificate);
  const expires = Date.parse(issuer.validTo);
  const { notBefore, usages } = options;
  if (notBefore >= expires) throw new PintleError("PINTLE1061", `the signer has expired: NotAfter=${issuer.validTo}`);
  const key = createPrivateKey(authority.key);
  const isEc = key.asymmetricKeyType === "ec";
  const algorithm = isEc
    ? sequence(objectId("1.2.840.10045.4.3.2"))
    : sequence(objectId("1.2.840.113549.1.1.11"), Buffer.from([0x05, 0x00]));
  const body = sequence(
    explicit(0, smallInteger(2)),
    integer(randomBytes(16)),
    algorithm,
    readIssuerName(issuer.raw),
    sequence(time(new Date(notBefore)), time(new Date(Math.min(options.notAfter, expires)))),
    request.der.subject,
    request.der.publicKey,
    explicit(3, sequence(...encodeExtensions(request, usages, issuer))),
  );
  const der = sequence(body, algorithm, bitString(sign("sha256", body, key)));
  const lines = der.toString("base64").match(/.{1,64}/g) as readonly string[];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/** The subject of the authority, byte for byte: verifiers compare it. */
function readIssuerName(certificate: Buffer): Buffer {
  const [body] = readDerChildren(readDerValues(certificate)[0], DER_TAGS.sequence);
  const [, , , , , subject] = readDerChildren(body, DER_TAGS.sequence);
  return (subject as DerValue).bytes;
}

function encodeExtensions({ der }: CertificateRequest, usages: readonly string[], issuer: X509Certificate): Buffer[] {
  const unknown = usages.find((usage) => KEY_USAGES[usage] === undefined && EXTENDED_KEY_USAGES[usage] === undefined);
  if (unknown !== undefined) throw new PintleError("PINTLE1061", `unrecognized usage: ${unknown}`);
  const extension = (id: string, critical: boolean, value: Buffer) =>
    critical ? sequence(objectId(id), boolean(true), octetString(value)) : sequence(objectId(id), octetString(value));
  const bits = usages.reduce((all, usage) => all | (KEY_USAGES[usage] ?? 0), 0);
  const extended = [...new Set(usages.flatMap((usage) => EXTENDED_KEY_USAGES[usage] ?? []))];
  const issuerKey = createHash("sha1")
    .update(issuer.publicKey.export({ type: "spki", format: "der" }))
    .digest();
  return [
    ...(bits === 0 ? [] : [extension("2.5.29.15", true, encodeBits(bits))]),
    ...(extended.length === 0 ? [] : [extension("2.5.29.37", false, sequence(...extended.map(objectId)))]),
    extension("2.5.29.19", true, sequence()),
    extension("2.5.29.35", false, sequence(implicit(0, issuerKey))),
    ...(der.alternativeNames === undefined ? [] : [extension(SUBJECT_ALTERNATIVE_NAME, false, der.alternativeNames)]),
  ];
}

/** A bit string without trailing zero bits, as DER requires. */
function encodeBits(bits: number): Buffer {
  const bytes = (bits & 0xff) === 0 ? Buffer.from([bits >> 8]) : Buffer.from([bits >> 8, bits & 0xff]);
  const last = bytes.at(-1) as number;
  return bitString(bytes, 31 - Math.clz32(last & -last));
}
