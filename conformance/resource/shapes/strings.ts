import { duration, format, time } from "pintle/resource";
import * as z from "zod";
import { bad, good, one, type Shape } from "../shape.ts";

const UUID = "123e4567-e89b-42d3-a456-426614174000";

export const strings: readonly Shape[] = [
  { name: "a string", says: ["type"], spec: one(z.string()), good: good("a"), bad: [bad(1), { spec: {}, field: "spec.x" }] },
  { name: "minLength", says: ["minLength"], spec: one(z.string().min(2)), good: good("ab"), bad: [bad("a"), bad("")] },
  { name: "maxLength", says: ["maxLength"], spec: one(z.string().max(2)), good: good("ab"), bad: [bad("abc"), bad("abcdef")] },
  {
    name: "the strictest of several lengths",
    says: ["minLength", "maxLength"],
    spec: one(z.string().min(1).min(3).max(9).max(4)),
    good: good("abc"),
    bad: [bad("ab"), bad("abcde")],
  },
  {
    name: "an exact length",
    says: ["minLength", "maxLength"],
    spec: one(z.string().length(3)),
    good: good("abc"),
    bad: [bad("ab"), bad("abcd")],
  },
  { name: "pattern", says: ["pattern"], spec: one(z.string().regex(/^[a-z]+$/)), good: good("abc"), bad: [bad("ABC"), bad("")] },
  {
    name: "two patterns",
    says: ["pattern", "allOf"],
    spec: one(
      z
        .string()
        .regex(/^[a-z]+$/)
        .regex(/z$/),
    ),
    good: good("abz"),
    bad: [bad("abc"), bad("ABz")],
  },
  {
    name: "a pattern in JavaScript's own syntax",
    says: ["pattern"],
    spec: one(z.string().regex(/^(?<head>\u0061[[\]_/-]?)\p{Lu}+\x2e\d{2}$/u)),
    good: good("a_Ä.42"),
    bad: [bad("b_Ä.42"), bad("a_ä.42")],
  },
  {
    name: "a pattern without case",
    says: ["pattern"],
    spec: one(z.string().regex(/^ab$/i)),
    good: good("aB"),
    bad: [bad("b"), bad("abc")],
  },
  {
    name: "startsWith, endsWith, includes",
    says: ["pattern", "allOf"],
    spec: one(z.string().startsWith("a.").endsWith("$z").includes("(m)")),
    good: good("a.(m)$z"),
    bad: [bad("ab(m)$z"), bad("a.m$z")],
  },
  { name: "enum of strings", says: ["enum"], spec: one(z.enum(["a", "b"])), good: good("a"), bad: [bad("c"), bad("")] },
  { name: "one literal", says: ["enum"], spec: one(z.literal("a")), good: good("a"), bad: [bad("b"), bad(1)] },
  {
    name: "a union of literals",
    says: ["enum"],
    spec: one(z.union([z.literal("a"), z.enum(["b", "c"])])),
    good: good("c"),
    bad: [bad("d"), bad("A")],
  },
  {
    name: "time",
    says: ["format"],
    spec: one(time()),
    good: good("2026-01-02T03:04:05.678+01:00"),
    bad: [bad("2026-01-02"), bad("yesterday")],
  },
  { name: "date", says: ["format"], spec: one(z.iso.date()), good: good("2026-01-02"), bad: [bad("2026-02-30"), bad("2.1.2026")] },
  { name: "duration", says: ["format", "pattern"], spec: one(duration()), good: good("1h30m"), bad: [bad("3 days"), bad("1d"), bad("x")] },
  {
    name: "email",
    says: ["format", "pattern"],
    spec: one(z.email()),
    good: good("a@example.com"),
    bad: [bad("a"), bad("A <a@example.com>")],
  },
  { name: "url", says: ["format", "pattern"], spec: one(z.url()), good: good("https://example.com/a?b=c"), bad: [bad("/a"), bad("a b")] },
  { name: "uuid", says: ["format", "pattern"], spec: one(z.uuid()), good: good(UUID), bad: [bad(UUID.replaceAll("-", "")), bad("x")] },
  { name: "ipv4", says: ["format", "pattern"], spec: one(z.ipv4()), good: good("10.0.0.1"), bad: [bad("01.2.3.4"), bad("::1")] },
  { name: "ipv6", says: ["format"], spec: one(z.ipv6()), good: good("2001:db8::1"), bad: [bad("10.0.0.1"), bad("fe80::1%eth0")] },
  {
    name: "cidrv4",
    says: ["format", "pattern"],
    spec: one(z.cidrv4()),
    good: good("10.0.0.0/8"),
    bad: [bad("2001:db8::/32"), bad("10.0.0.0")],
  },
  {
    name: "cidrv6",
    says: ["format", "pattern"],
    spec: one(z.cidrv6()),
    good: good("2001:db8::/32"),
    bad: [bad("10.0.0.0/8"), bad("::/129")],
  },
  {
    name: "mac",
    says: ["format", "pattern"],
    spec: one(z.mac()),
    good: good("00:00:5e:00:53:01"),
    bad: [bad("00-00-5e-00-53-01"), bad("x")],
  },
  { name: "base64", says: ["format"], spec: one(z.base64()), good: good("YQ=="), bad: [bad("YQ"), bad("*")] },
  { name: "hostname", says: ["format"], spec: one(format("hostname")), good: good("a.example.com"), bad: [bad("a b"), bad("-a")] },
  {
    name: "a format and a length",
    says: ["format", "maxLength"],
    spec: one(format("hostname").max(12)),
    good: good("a.example.de"),
    bad: [bad("aa.example.de"), bad("a b")],
  },
  { name: "k8s-short-name", says: ["format"], spec: one(format("k8s-short-name")), good: good("a-b"), bad: [bad("a.b"), bad("A")] },
  { name: "k8s-long-name", says: ["format"], spec: one(format("k8s-long-name")), good: good("a.b"), bad: [bad("a_b"), bad("A")] },
  { name: "cidr", says: ["format"], spec: one(format("cidr")), good: good("::/0"), bad: [bad("10.0.0.1"), bad("x")] },
  { name: "hexcolor", says: ["format"], spec: one(format("hexcolor")), good: good("#fff"), bad: [bad("#ggg"), bad("white")] },
  { name: "rgbcolor", says: ["format"], spec: one(format("rgbcolor")), good: good("rgb(1,2,3)"), bad: [bad("rgb(300,2,3)"), bad("x")] },
  { name: "creditcard", says: ["format"], spec: one(format("creditcard")), good: good("4111111111111111"), bad: [bad("1"), bad("x")] },
  { name: "isbn", says: ["format"], spec: one(format("isbn")), good: good("9780321751041"), bad: [bad("9780321751042"), bad("x")] },
  { name: "ssn", says: ["format"], spec: one(format("ssn")), good: good("111-11-1111"), bad: [bad("1"), bad("x")] },
  {
    name: "bsonobjectid",
    says: ["format"],
    spec: one(format("bsonobjectid")),
    good: good("507f1f77bcf86cd799439011"),
    bad: [bad("1"), bad("x")],
  },
  { name: "uuid5", says: ["format"], spec: one(format("uuid5")), good: good(UUID.replace("-42", "-52")), bad: [bad(UUID), bad("x")] },
];
