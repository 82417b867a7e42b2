import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createEnvelope, createKeyPair, keyHint, readPublicKey, readSigningKey, verifyEnvelope } from "../../src/signing/index.ts";

/** Written by cosign 3.0.2, with the password "secret". */
const COSIGN_KEY = [
  "-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----",
  "eyJrZGYiOnsibmFtZSI6InNjcnlwdCIsInBhcmFtcyI6eyJOIjo2NTUzNiwiciI6",
  "OCwicCI6MX0sInNhbHQiOiIzUEdNTnJwQmhyVGN0UkVHVTE0eFkwUEpSZzlzbzNa",
  "QWE3TG16aWx1MkJJPSJ9LCJjaXBoZXIiOnsibmFtZSI6Im5hY2wvc2VjcmV0Ym94",
  "Iiwibm9uY2UiOiJWcWR5OEtMWWgwbnMza3RGU2M5eDh2OUVnM0lFQmlnTSJ9LCJj",
  "aXBoZXJ0ZXh0Ijoidy9VbmNvMU9mdzZPWXdiL3U4UjhDOFIrZkJWSzdnVDVpWW4w",
  "R3IxWG0wOXRJeFZMY1RGOXR4K1lmMGNWY05qdWJRZld3M05tcWlnSDJpa3ZLYnFl",
  "ditqc05lVEk1WkIxSzluSDl5TFVYMWJRQTd0RjVSL2ovMGVpdStHRmZDemRhU0Z3",
  "SXBOb1BTZXgwSUVZUGhwazM4ZnlMQVF3UjFuZlVFenc4ZnY3bkRxRHJwN2xSeE95",
  "STlEQ3dlenVmSGpxT01UajRteTBWdHhGZEE9PSJ9",
  "-----END ENCRYPTED SIGSTORE PRIVATE KEY-----",
  "",
].join("\n");
/** What cosign calls the key in bundles. */
const COSIGN_HINT = "qbORSpiUnKEFalQ013c/cfMzGHoQ7x/k/JhBVe+UqE0=";

describe("keys", () => {
  test("a key that cosign encrypted is read with its password, and with no other", () => {
    expect(keyHint(readSigningKey(COSIGN_KEY, "secret"))).toBe(COSIGN_HINT);
    expect(() => readSigningKey(COSIGN_KEY, "other")).toThrow("the password is wrong");
    expect(() => readSigningKey(COSIGN_KEY, undefined)).toThrow("set its password in COSIGN_PASSWORD");
    expect(() => readSigningKey(COSIGN_KEY.replace("eyJ", "AAA"), "secret")).toThrow("the file is damaged");
  });

  test("a created key is encrypted, and its public part verifies what it signs", () => {
    const { privateKey, publicKey } = createKeyPair("pw");
    expect(privateKey).toMatch(/^-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\n/);
    const envelope = createEnvelope("text/plain", Buffer.from("hello"), readSigningKey(privateKey, "pw"));
    const key = readPublicKey(publicKey);
    expect(verifyEnvelope(envelope, [key])?.toString()).toBe("hello");
    expect(verifyEnvelope({ ...envelope, payload: Buffer.from("hallo").toString("base64") }, [key])).toBeUndefined();
    expect(verifyEnvelope({ ...envelope, payloadType: "text/html" }, [key])).toBeUndefined();
    expect(verifyEnvelope(envelope, [readPublicKey(createKeyPair("pw").publicKey)])).toBeUndefined();
    expect(verifyEnvelope({ ...envelope, signatures: [] }, [key])).toBeUndefined();
  });

  test("keys of other kinds, and a private key instead of a public one, are refused", () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ format: "pem", type: "spki" });
    expect(() => readPublicKey(String(rsa))).toThrow("only ECDSA on the curve P-256");
    expect(() => readPublicKey(COSIGN_KEY)).toThrow("signatures are verified with the public key");
    expect(() => readPublicKey("no key")).toThrow("cannot use the key");
  });

  test("a key file that asks for more memory than is allowed is refused before any work", () => {
    const file = { kdf: { name: "scrypt", params: { N: 2 ** 24, r: 8, p: 1 }, salt: "" }, cipher: { name: "nacl/secretbox", nonce: "" } };
    const lines = Buffer.from(JSON.stringify(file)).toString("base64");
    const pem = `-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\n${lines}\n-----END ENCRYPTED SIGSTORE PRIVATE KEY-----\n`;
    expect(() => readSigningKey(pem, "pw")).toThrow("more memory than is allowed");
  });
});
