import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { due, type Held, LIFETIMES, leafExpiry, renewed } from "./held.ts";
import { heldIn, secretOf } from "./secret.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.parse("2026-01-01T00:00:00Z");
const names = ["op.ns.svc", "127.0.0.1"];
const at = (now: number, published = true) => ({ now, names, lifetimes: LIFETIMES, published });
const authorities = ({ bundle }: Held) => bundle.split(/(?<=-----END CERTIFICATE-----\n)/).map((pem) => new X509Certificate(pem));
const signs = (held: Held) => authorities(held).findIndex((each) => new X509Certificate(held.leaf.certificate).verify(each.publicKey));

const first = renewed(undefined, at(START));

test("what a Secret keeps of it comes back the same", () => {
  const { data, annotations } = secretOf(first);
  expect(heldIn({ metadata: { annotations }, data })).toEqual(first);
  expect(heldIn({ metadata: {} })).toBeUndefined();
  expect(heldIn({ metadata: {}, data: { ...data, "ca.key": "" } })).toBeUndefined();
});

describe("renewal", () => {
  test("the first: one authority, a leaf of its own, with every name", () => {
    expect(authorities(first)).toHaveLength(1);
    expect(signs(first)).toBe(0);
    expect(new X509Certificate(first.leaf.certificate).subjectAltName).toBe("DNS:op.ns.svc, IP Address:127.0.0.1");
  });

  test("nothing is due: the same value", () => {
    for (const now of [START, START + 59 * DAY]) expect(renewed(first, at(now))).toBe(first);
    expect(due(first, LIFETIMES)).toBe(START + 60 * DAY);
  });

  test("a leaf with a third of its life left is replaced by one of the same authority", () => {
    const next = renewed(first, at(START + 60 * DAY));
    expect(next.bundle).toBe(first.bundle);
    expect(next.leaf).not.toEqual(first.leaf);
    expect(leafExpiry(next)).toBe(START + 150 * DAY);
  });

  test("another name: another leaf", () => {
    const next = renewed(first, { ...at(START), names: ["other.ns.svc"] });
    expect(new X509Certificate(next.leaf.certificate).subjectAltName).toBe("DNS:other.ns.svc");
  });

  test("an authority: first both are trusted, then the new one signs, then the old one goes", () => {
    const late = START + 250 * DAY;
    const young = { ...first, leaf: renewed(first, at(late - 20 * DAY)).leaf };
    const told = renewed(young, at(late));
    expect(authorities(told)).toHaveLength(2);
    expect(signs(told)).toBe(1);
    expect(told.leaf).toBe(young.leaf);
    expect(due(told, LIFETIMES)).toBe(late + HOUR);

    expect(renewed(told, at(late + HOUR - 1))).toBe(told);
    expect(renewed(told, at(late + HOUR, false)), "not before everybody knows").toBe(told);
    const moved = renewed(told, at(late + HOUR));
    expect(signs(moved)).toBe(0);
    expect(authorities(moved)).toHaveLength(2);

    expect(renewed(moved, at(late + 2 * HOUR - 1))).toBe(moved);
    const settled = renewed(moved, at(late + 2 * HOUR));
    expect(authorities(settled)).toHaveLength(1);
    expect(signs(settled)).toBe(0);
    expect(renewed(settled, at(late + 3 * HOUR))).toBe(settled);
  });

  test("a leaf that ran out is replaced at once, whoever knows what", () => {
    const late = START + 250 * DAY;
    const told = renewed(first, at(late));
    expect(signs(renewed(told, at(late, false)))).toBe(0);
  });

  test.each<[string, Held]>([
    ["an authority that ran out", first],
    ["a key that does not fit", { ...first, authorityKey: first.leaf.key }],
    ["a leaf of somebody else", { ...first, leaf: renewed(undefined, at(START)).leaf }],
    ["something that is no certificate", { ...first, bundle: "x" }],
  ])("%s: all is made anew", (what, held) => {
    const next = renewed(held, at(what.includes("ran out") ? START + 366 * DAY : START));
    expect(next.bundle).not.toBe(held.bundle);
    expect(signs(next)).toBe(0);
  });
});
