import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from "node:crypto";
import { isIPv4 } from "node:net";
import { bitString, boolean, type Der, explicit, implicit, integer, objectId, octetString, sequence, set, utcTime, utf8 } from "./der.ts";

/** A certificate and its private key, PEM both. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Kubernetes reads the common name as the user name, the organization as the group. */
export interface Subject {
  readonly commonName: string;
  readonly organization?: string;
}

export interface CertificateAuthority extends KeyPair {
  client(subject: Subject): KeyPair;
  /** A serving certificate for these host names and IPv4 addresses. */
  server(subject: Subject, hosts: readonly string[]): KeyPair;
}

const dayMs = 24 * 60 * 60 * 1000;
const ecdsaWithSha256 = sequence(objectId("1.2.840.10045.4.3.2"));

/** A certificate authority for tests: EC P-256, valid for a month, kept in memory. */
export function certificateAuthority(commonName: string): CertificateAuthority {
  const keys = p256();
  const name = distinguishedName({ commonName });
  const issue = (subject: Der, publicKey: KeyObject, extensions: readonly Der[]): string => {
    const tbs = sequence(
      explicit(0, integer(Buffer.from([2]))), // version 3
      integer(randomBytes(16)),
      ecdsaWithSha256,
      name,
      sequence(utcTime(new Date(Date.now() - dayMs)), utcTime(new Date(Date.now() + 30 * dayMs))),
      subject,
      publicKey.export({ type: "spki", format: "der" }),
      explicit(3, sequence(...extensions, ...keyIdentifiers(publicKey, keys.publicKey))),
    );
    const signature = bitString(sign("sha256", tbs, keys.privateKey));
    return new X509Certificate(sequence(tbs, ecdsaWithSha256, signature)).toString();
  };
  const leaf = (subject: Subject, ...extensions: readonly Der[]): KeyPair => {
    const own = p256();
    const all = [keyUsage("digitalSignature"), ...extensions];
    return {
      certificate: issue(distinguishedName(subject), own.publicKey, all),
      key: pem(own.privateKey),
    };
  };
  return {
    certificate: issue(name, keys.publicKey, [
      extension("2.5.29.19", sequence(boolean(true)), "critical"), // basic constraints: a CA
      keyUsage("keyCertSign"),
    ]),
    key: pem(keys.privateKey),
    client: (subject) => leaf(subject, extendedKeyUsage("clientAuth")),
    server: (subject, hosts) => leaf(subject, extendedKeyUsage("serverAuth"), subjectAlternativeNames(hosts)),
  };
}

/** Returns a key pair without certificate, both PEM: service account tokens are signed and verified with it. */
export function signingKey(): { readonly privateKey: string; readonly publicKey: string } {
  const keys = p256();
  return {
    privateKey: pem(keys.privateKey),
    publicKey: keys.publicKey.export({ type: "spki", format: "pem" }).toString(),
  };
}

function p256() {
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
}

function pem(privateKey: KeyObject): string {
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

function distinguishedName({ commonName, organization }: Subject): Der {
  const attribute = (id: string, value: string) => set(sequence(objectId(id), utf8(value)));
  const group = organization === undefined ? [] : [attribute("2.5.4.10", organization)];
  return sequence(...group, attribute("2.5.4.3", commonName));
}

function extension(id: string, value: Der, critical?: "critical"): Der {
  const flag = critical ? [boolean(true)] : [];
  return sequence(objectId(id), ...flag, octetString(value));
}

function keyUsage(usage: "digitalSignature" | "keyCertSign"): Der {
  const bits = usage === "digitalSignature" ? bitString(Buffer.from([0x80]), 7) : bitString(Buffer.from([0x04]), 2);
  return extension("2.5.29.15", bits, "critical");
}

function extendedKeyUsage(usage: "serverAuth" | "clientAuth"): Der {
  const id = usage === "serverAuth" ? "1.3.6.1.5.5.7.3.1" : "1.3.6.1.5.5.7.3.2";
  return extension("2.5.29.37", sequence(objectId(id)));
}

function subjectAlternativeNames(hosts: readonly string[]): Der {
  const names = hosts.map((host) =>
    isIPv4(host) ? implicit(7, Buffer.from(host.split(".").map(Number))) : implicit(2, Buffer.from(host)),
  );
  return extension("2.5.29.17", sequence(...names));
}

/** Strict verifiers, such as Python's, reject a chain without these two. */
function keyIdentifiers(subject: KeyObject, issuer: KeyObject): readonly Der[] {
  return [extension("2.5.29.14", octetString(fingerprint(subject))), extension("2.5.29.35", sequence(implicit(0, fingerprint(issuer))))];
}

function fingerprint(key: KeyObject): Buffer {
  return createHash("sha1")
    .update(key.export({ type: "spki", format: "der" }))
    .digest();
}
