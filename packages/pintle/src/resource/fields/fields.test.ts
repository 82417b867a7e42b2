import { describe, expect, it } from "vitest";
import * as z from "zod";
import { toStructuralSchema } from "../schema/index.ts";
import { celRule, exactlyOneOf, fieldDocs, immutable, listMap, listSet, maxProperties, minProperties } from "./index.ts";
import { acceptsFormat, type STRING_FORMATS } from "./string-formats.ts";

const rules = (schema: z.core.$ZodType) => toStructuralSchema(schema, "spec")["x-kubernetes-validations"];

describe("field attributes", () => {
  it("are kept by Zod's own methods", () => {
    const schema = immutable(celRule(z.string(), "self != 'a'")).min(2).max(5).describe("d").optional();
    expect(toStructuralSchema(schema, "spec")).toEqual({
      type: "string",
      minLength: 2,
      maxLength: 5,
      description: "d",
      "x-kubernetes-validations": [{ rule: "self != 'a'" }, { rule: "self == oldSelf", message: "is immutable" }],
    });
  });

  it("do not change the original schema", () => {
    const schema = z.string();
    celRule(schema, "self != ''");
    expect(rules(schema)).toBeUndefined();
  });

  it("are kept by safeExtend, and Zod rejects operations that would lose them", () => {
    const choice = exactlyOneOf(z.object({ a: z.string().optional(), b: z.string().optional() }), "a", "b");
    expect(rules(choice.safeExtend({ c: z.string() }))).toHaveLength(1);
    expect(() => choice.pick({ a: true })).toThrow("refinements");
  });

  it("accumulate on a wrapper", () => {
    expect(rules(celRule(celRule(z.int(), "self > 1").optional(), "self < 9"))).toEqual([{ rule: "self > 1" }, { rule: "self < 9" }]);
  });

  it("omit undefined options", () => {
    expect(rules(celRule(z.int(), "self > 1", { message: undefined, reason: "FieldValueInvalid" }))).toEqual([
      { rule: "self > 1", reason: "FieldValueInvalid" },
    ]);
    expect(toStructuralSchema(fieldDocs(z.int(), { title: "T", example: undefined }), "spec")).not.toHaveProperty("example");
  });
});

describe("Zod validates field attributes", () => {
  it.each<[string, z.ZodType, unknown, unknown]>([
    ["listSet", listSet(z.string()), ["a", "b"], ["a", "a"]],
    ["listMap", listMap(z.object({ name: z.string() }), "name"), [{ name: "a" }], [{ name: "a" }, { name: "a" }]],
    ["minProperties", minProperties(z.record(z.string(), z.int()), 1), { a: 1 }, {}],
    ["maxProperties", maxProperties(z.record(z.string(), z.int()), 1), { a: 1 }, { a: 1, b: 2 }],
    ["exactlyOneOf", exactlyOneOf(z.object({ a: z.int().optional(), b: z.int().optional() }), "a", "b"), { a: 1 }, { a: 1, b: 2 }],
  ])("of %s", (_, schema, good, bad) => {
    expect(schema.safeParse(good).success).toBe(true);
    expect(schema.safeParse(bad).success).toBe(false);
  });
});

describe("acceptsFormat", () => {
  const cases: Record<keyof typeof STRING_FORMATS, readonly [good: string, bad: string]> = {
    bsonobjectid: ["507f1f77bcf86cd799439011", "507f"],
    byte: ["YQ==", ""],
    cidr: ["10.0.0.0/8", "10.0.0.0/33"],
    creditcard: ["4111111111111111", "4111111111111112"],
    date: ["2026-02-28", "2026-02-30"],
    "date-time": ["2026-01-02T03:04:05Z", "2026-01-02"],
    duration: ["1h30m", "1d"],
    email: ["a@example.com", "a"],
    hexcolor: ["#fff", "white"],
    hostname: ["a-b.example.com", "my-host"],
    ipv4: ["10.0.0.1", "::1"],
    ipv6: ["::1", "fe80::1%eth0"],
    isbn: ["0321751043", "0321751044"],
    isbn10: ["0321751043", "9780321751041"],
    isbn13: ["9780321751041", "9780321751042"],
    "k8s-long-name": ["a.b", "a_b"],
    "k8s-short-name": ["a-b", "a.b"],
    mac: ["00:00:5e:00:53:01", "x"],
    password: ["x", "\u0000"],
    rgbcolor: ["rgb(1,2,3)", "rgb(300,2,3)"],
    ssn: ["111-11-1111", "1"],
    uri: ["https://example.com/a?b=c#d", "https://exa mple.com"],
    uuid: ["123e4567-e89b-12d3-a456-426614174000", "x"],
    uuid3: ["123e4567-e89b-32d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174000"],
    uuid4: ["123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-52d3-a456-426614174000"],
    uuid5: ["123e4567-e89b-52d3-a456-426614174000", "123e4567-e89b-32d3-a456-426614174000"],
  };
  it.each(Object.entries(cases))("%s: %o", (name, [good, bad]) => {
    expect(acceptsFormat(name, good)).toBe(true);
    expect(acceptsFormat(name, bad)).toBe(name === "password");
  });
});
