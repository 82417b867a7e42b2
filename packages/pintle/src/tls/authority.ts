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

/** A certificate and its key, as PEM text. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[] | undefined;
}

/** Signs certificates; `certificate` is what others must trust. */
export interface Authority extends KeyPair {
  /** For servers: the names and addresses they are reached by. Valid for as long as the authority, unless told otherwise. */
  server(subject: Subject, names: readonly string[], lifetime?: number): KeyPair;
  /** For clients: who they are. */
  client(subject: Subject): KeyPair;
}

const ECDSA_SHA256 = sequence(objectId("1.2.840.10045.4.3.2"));
const COMMON_NAME = "2.5.4.3";
const ORGANIZATION = "2.5.4.10";
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
const DAY = 24 * 3600 * 1000;
const TEN_YEARS = 3650 * DAY;

/**
 * An authority on P-256, new or kept from before, and what it signs from `now` on, in milliseconds. Certificates are valid
 * from a day before, so that clocks may differ.
 */
export function authority(commonName: string, now: number, kept?: KeyPair, lifetime = TEN_YEARS): Authority {
  const keys = kept === undefined ? newKeys() : keysOf(kept.key);
  const subject: Subject = { commonName };
  const certificate =
    kept?.certificate ??
    issue({
      subject,
      issuer: subject,
      keys,
      signer: keys.privateKey,
      issuerKey: keys.publicKey,
      valid: { from: now - DAY, to: now + lifetime },
      use: { type: "authority" },
    });
  const leaf = (of: Subject, use: Use, leafLifetime = lifetime): KeyPair => {
    const own = newKeys();
    const valid = { from: now - DAY, to: now + leafLifetime };
    return {
      certificate: issue({ subject: of, issuer: subject, keys: own, signer: keys.privateKey, issuerKey: keys.publicKey, valid, use }),
      key: pem(own.privateKey),
    };
  };
  return {
    certificate,
    key: pem(keys.privateKey),
    server: (of, names, leafLifetime) => leaf(of, { type: "server", names }, leafLifetime),
    client: (of) => leaf(of, { type: "client" }),
  };
}

type Use = { readonly type: "authority" } | { readonly type: "client" } | { readonly type: "server"; readonly names: readonly string[] };
interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

function newKeys(): Keys {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function keysOf(key: string): Keys {
  const privateKey = createPrivateKey(key);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

function pem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

interface Issue {
  readonly subject: Subject;
  readonly issuer: Subject;
  readonly keys: Keys;
  readonly signer: KeyObject;
  readonly issuerKey: KeyObject;
  readonly valid: { readonly from: number; readonly to: number };
  readonly use: Use;
}

function issue({ subject, issuer, keys, signer, issuerKey, valid, use }: Issue): string {
  const body = sequence(
    explicit(0, smallInteger(2)),
    integer(randomBytes(16)),
    ECDSA_SHA256,
    distinguishedName(issuer),
    sequence(time(new Date(valid.from)), time(new Date(valid.to))),
    distinguishedName(subject),
    keys.publicKey.export({ type: "spki", format: "der" }),
    explicit(3, sequence(...extensions(use, keys.publicKey, issuerKey))),
  );
  const signature = sign("sha256", body, signer);
  const der = sequence(body, ECDSA_SHA256, bitString(signature));
  const lines = der.toString("base64").match(/.{1,64}/g) as readonly string[];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function distinguishedName({ commonName, organizations = [] }: Subject): Buffer {
  const attribute = (id: string, value: string) => set(sequence(objectId(id), utf8String(value)));
  return sequence(...organizations.map((each) => attribute(ORGANIZATION, each)), attribute(COMMON_NAME, commonName));
}

function extensions(use: Use, key: KeyObject, issuerKey: KeyObject): Buffer[] {
  const extension = (id: string, critical: boolean, value: Buffer) =>
    critical ? sequence(objectId(id), boolean(true), octetString(value)) : sequence(objectId(id), octetString(value));
  const keyUsage = (bits: number, unused: number) => extension("2.5.29.15", true, bitString(Buffer.from([bits]), unused));
  const basicConstraints = extension("2.5.29.19", true, use.type === "authority" ? sequence(boolean(true)) : sequence());
  const subjectKey = extension("2.5.29.14", false, octetString(keyIdentifier(key)));
  // digitalSignature + keyCertSign + cRLSign
  if (use.type === "authority") return [basicConstraints, keyUsage(0b1000_0110, 1), subjectKey];
  const common = [
    basicConstraints,
    keyUsage(0b1000_0000, 7),
    extension("2.5.29.37", false, sequence(objectId(use.type === "server" ? SERVER_AUTH : CLIENT_AUTH))),
    subjectKey,
    extension("2.5.29.35", false, sequence(implicit(0, keyIdentifier(issuerKey)))),
  ];
  return use.type === "client" ? common : [...common, extension("2.5.29.17", false, sequence(...use.names.map(alternativeName)))];
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash("sha1")
    .update(key.export({ type: "spki", format: "der" }))
    .digest();
}

function alternativeName(name: string): Buffer {
  const family = isIP(name);
  if (family === 0) return implicit(2, Buffer.from(name));
  return implicit(7, family === 4 ? Buffer.from(name.split(".").map(Number)) : ipv6(name));
}

function ipv6(text: string): Buffer {
  const [head = "", tail] = text.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const all = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
