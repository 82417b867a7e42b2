import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A certificate and its private key, PEM both. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

const DAY = 24 * 3_600_000;
const LIFETIME = 365 * DAY;

/** A certificate nobody vouches for: traffic cannot be read along the way, but who answers is not proven. For a year. */
export function selfSigned(names: readonly string[], now: number): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(objectId([1, 2, 840, 10045, 4, 3, 2]));
  const name = sequence(der(0x31, sequence(objectId([2, 5, 4, 3]), der(0x0c, Buffer.from(names[0]!)))));
  const alternatives = sequence(...names.map((each) => der(0x82, Buffer.from(each))));
  const serverAuth = sequence(objectId([1, 3, 6, 1, 5, 5, 7, 3, 1]));
  const extension = (id: readonly number[], value: Buffer) => sequence(objectId(id), der(0x04, value));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    // The first bit must not be set, or the number would be negative.
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    sequence(utcTime(now - DAY), utcTime(now + LIFETIME)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(extension([2, 5, 29, 37], serverAuth), extension([2, 5, 29, 17], alternatives))),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign("sha256", body, privateKey)]));
  const lines = sequence(body, algorithm, signature)
    .toString("base64")
    .match(/.{1,64}/g)!;
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, Buffer.concat(parts));
const utcTime = (at: number) => der(0x17, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]/g, "").slice(2, 14)}Z`));

function objectId([first = 0, second = 0, ...rest]: readonly number[]): Buffer {
  const base128 = (value: number): number[] => (value < 0x80 ? [value] : [...base128(value >> 7).map((byte) => byte | 0x80), value & 0x7f]);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}
