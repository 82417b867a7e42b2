import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { parseSecret, toSecretData } from "./certificate-secret.ts";
import { type CertificateSet, DEFAULT_LIFETIMES, getLeafExpiry, nextRenewalTime, renewCertificates } from "./certificate-set.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.parse("2026-01-01T00:00:00Z");
const names = ["op.ns.svc", "127.0.0.1"];
const at = (now: number, published = true) => ({ now, names, lifetimes: DEFAULT_LIFETIMES, published });
const authorities = ({ caBundle }: CertificateSet) =>
  caBundle.split(/(?<=-----END CERTIFICATE-----\n)/).map((pem) => new X509Certificate(pem));
const signs = (certificates: CertificateSet) =>
  authorities(certificates).findIndex((each) => new X509Certificate(certificates.leaf.certificate).verify(each.publicKey));

const first = renewCertificates(undefined, at(START));

test("parseSecret returns the certificates that toSecretData encoded, and undefined for an incomplete Secret", () => {
  const { data, annotations } = toSecretData(first);
  expect(parseSecret({ metadata: { annotations }, data })).toEqual(first);
  expect(parseSecret({ metadata: {} })).toBeUndefined();
  expect(parseSecret({ metadata: {}, data: { ...data, "ca.key": "" } })).toBeUndefined();
});

describe("renewCertificates", () => {
  test("issues one authority and a leaf with every name at first", () => {
    expect(authorities(first)).toHaveLength(1);
    expect(signs(first)).toBe(0);
    expect(new X509Certificate(first.leaf.certificate).subjectAltName).toBe("DNS:op.ns.svc, IP Address:127.0.0.1");
  });

  test("returns the same object when nothing is due", () => {
    for (const now of [START, START + 59 * DAY]) expect(renewCertificates(first, at(now))).toBe(first);
    expect(nextRenewalTime(first, DEFAULT_LIFETIMES)).toBe(START + 60 * DAY);
  });

  test("renews a leaf at two thirds of its lifetime with the same authority", () => {
    const next = renewCertificates(first, at(START + 60 * DAY));
    expect(next.caBundle).toBe(first.caBundle);
    expect(next.leaf).not.toEqual(first.leaf);
    expect(getLeafExpiry(next)).toBe(START + 150 * DAY);
  });

  test("issues another leaf when the names change", () => {
    const next = renewCertificates(first, { ...at(START), names: ["other.ns.svc"] });
    expect(new X509Certificate(next.leaf.certificate).subjectAltName).toBe("DNS:other.ns.svc");
  });

  test("rotates an authority: trusts both, then signs with the new one, then drops the old one", () => {
    const late = START + 250 * DAY;
    const renewedLeaf = { ...first, leaf: renewCertificates(first, at(late - 20 * DAY)).leaf };
    const rotating = renewCertificates(renewedLeaf, at(late));
    expect(authorities(rotating)).toHaveLength(2);
    expect(signs(rotating)).toBe(1);
    expect(rotating.leaf).toBe(renewedLeaf.leaf);
    expect(nextRenewalTime(rotating, DEFAULT_LIFETIMES)).toBe(late + HOUR);

    expect(renewCertificates(rotating, at(late + HOUR - 1))).toBe(rotating);
    expect(renewCertificates(rotating, at(late + HOUR, false)), "not before the bundle is published").toBe(rotating);
    const signedByNew = renewCertificates(rotating, at(late + HOUR));
    expect(signs(signedByNew)).toBe(0);
    expect(authorities(signedByNew)).toHaveLength(2);

    expect(renewCertificates(signedByNew, at(late + 2 * HOUR - 1))).toBe(signedByNew);
    const settled = renewCertificates(signedByNew, at(late + 2 * HOUR));
    expect(authorities(settled)).toHaveLength(1);
    expect(signs(settled)).toBe(0);
    expect(renewCertificates(settled, at(late + 3 * HOUR))).toBe(settled);
  });

  test("replaces an expired leaf at once, even before the bundle is published", () => {
    const late = START + 250 * DAY;
    const rotating = renewCertificates(first, at(late));
    expect(signs(renewCertificates(rotating, at(late, false)))).toBe(0);
  });

  test.each<[string, CertificateSet]>([
    ["an expired authority", first],
    ["a key that does not match", { ...first, caKey: first.leaf.key }],
    ["a leaf of another authority", { ...first, leaf: renewCertificates(undefined, at(START)).leaf }],
    ["an invalid certificate", { ...first, caBundle: "x" }],
  ])("issues everything again for %s", (what, certificates) => {
    const next = renewCertificates(certificates, at(what.includes("expired") ? START + 366 * DAY : START));
    expect(next.caBundle).not.toBe(certificates.caBundle);
    expect(signs(next)).toBe(0);
  });
});
