import { describe, expect, test } from "vitest";
import * as yaml from "yaml";
import { BodyDecodeError } from "./body-error.ts";
import { decodeYaml } from "./yaml.ts";
import { resolveDoubleQuoted } from "./yaml-quoted.ts";

const { parse } = yaml;

const value = async (text: string) => (await decodeYaml(text)).value;

test("reads YAML as Go's library does", async () => {
  const text = [
    "yes: no",
    "date: 2026-01-02",
    "time: 12:30",
    "octal: 0644",
    "long: 9007199254740993",
    "longer: 10000000000000000000",
    "float: 1e3",
    "1: one",
    "nothing: ~",
    "quoted: 'yes'",
    "base: &base { a: 1 }",
    "merged: { <<: *base, b: 2 }",
    "text: |-",
    "  line",
  ].join("\n");
  expect(await value(text)).toEqual({
    true: false,
    date: "2026-01-02",
    time: "12:30",
    octal: 420,
    long: 9007199254740993n,
    longer: 1e19,
    float: 1000,
    "1": "one",
    nothing: null,
    quoted: "yes",
    base: { a: 1 },
    merged: { a: 1, b: 2 },
    text: "line",
  });
});

test("decodes JSON text as JSON", async () => {
  expect(await value(' {"a": 9007199254740993, "b": "yes"}')).toEqual({ a: 9007199254740993n, b: "yes" });
});

test("decodes the first document only, and no document as null", async () => {
  expect(await value("a: 1\n---\nb: 2\n")).toEqual({ a: 1 });
  expect(await value("")).toBeNull();
});

test("reports duplicate keys by line", async () => {
  const { value, strict } = await decodeYaml("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n");
  expect(value).toEqual({ a: 3, b: { c: 2 } });
  expect(strict).toEqual(['yaml: unmarshal errors:\n  line 4: key "c" already set in map\n  line 5: key "a" already set in map']);
  expect((await decodeYaml('{"a":1,"a":2}')).strict).toEqual(['yaml: unmarshal errors:\n  line 1: key "a" already set in map']);
});

test("refuses invalid YAML with its line", async () => {
  await expect(decodeYaml("a: 1\nb: [1\nc: 2")).rejects.toThrow(BodyDecodeError);
  await expect(decodeYaml("a: 1\nb: [1\nc: 2")).rejects.toThrow(/^yaml: line [23]: /);
});

test("refuses a merge key whose value is not a map", async () => {
  await expect(decodeYaml("<<: text")).rejects.toThrow(
    new BodyDecodeError("yaml: map merge requires map or sequence of maps as the value"),
  );
});

test.each([
  [
    "nested aliases",
    `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefgh"
      .split("")
      .map((c, i) => `${c}: &${c} [${Array(9).fill(`*${"abcdefg"[i]}`).join(",")}]\n`)
      .join("")}`,
  ],
  ["a long text that aliases repeat", `a: &a ${"x".repeat(100_000)}\nb:\n${"- *a\n".repeat(100)}`],
  [
    "merge keys of a large map",
    `a: &a\n${Array.from({ length: 1000 }, (_, n) => `  k${n}: v\n`).join("")}b:\n${"- {<<: *a}\n".repeat(2000)}`,
  ],
])("refuses %s as go-yaml does", async (_, text) => {
  await expect(decodeYaml(text)).rejects.toThrow("yaml: document contains excessive aliasing");
});

test("keeps aliases and merge keys within the limits", async () => {
  const { value } = await decodeYaml("a: &a {p: 1, q: 2}\nb: {<<: *a, q: 3}\nc: {<<: [{q: 4}, *a], r: 5}\nd: [*a, *a]\n");
  expect(value).toEqual({
    a: { p: 1, q: 2 },
    b: { q: 3, p: 1 },
    c: { r: 5, q: 4, p: 1 },
    d: [
      { p: 1, q: 2 },
      { p: 1, q: 2 },
    ],
  });
});

test("reads the first document only, and refuses deep nesting", async () => {
  expect((await decodeYaml("a: 1\n---\n{ not yaml")).value).toEqual({ a: 1 });
  for (const text of ["[", "- ", "? ", "{a: "]) {
    await expect(decodeYaml(text.repeat(50_000))).rejects.toThrow("exceeded max depth");
    // Less deep, but at the end of the stack, where V8 cannot compile regular expressions.
    await expect(decodeYaml(text.repeat(400))).rejects.toThrow("exceeded max depth");
  }
});

describe("a long double-quoted text", () => {
  const piece = String.raw`ab\u00e9\n\x41\U0001F600\"\\ c	d  \
     e \
  f

   g\tz `.repeat(3000);
  const line = String.raw`a\tb\u00e9 \\`.repeat(12_000);

  test("has the value that the YAML library gives it, wherever it stands", async () => {
    const { value } = await decodeYaml(`a: "${piece}"\nb:\n- 1\n- e: "${line}"\nc: &x "${line}\\\\"\nd: *x\n"f": 1\n`);
    const [text, short] = [parse(`"${piece}"`), parse(`"${line}"`)] as [string, string];
    expect([text.length, short.length]).toEqual([text.length, 72_000]);
    expect(value).toEqual({ a: text, b: [1, { e: short }], c: `${short}\\`, d: `${short}\\`, f: 1 });
  });

  test("with a wrong escape sequence is refused with its line", async () => {
    await expect(decodeYaml(`a: 1\nb: "${"x\n ".repeat(40_000)}\\q"\n`)).rejects.toThrow("yaml: line 40002: bad dq escape");
    await expect(decodeYaml(`a: "${"x".repeat(80_000)}`)).rejects.toThrow("missing char");
  });

  test("is resolved in short pieces, so that the library does not concatenate it character by character", () => {
    for (const text of ["x ".repeat(100_000), "\\n".repeat(100_000), "\\u00e9".repeat(40_000)]) {
      const pieces = [...resolveDoubleQuoted(yaml, `"${text}"`, () => 1)];
      expect(pieces.join("")).toBe(parse(`"${text}"`));
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(5000);
    }
  });
});

test("a document of too many lines is refused", async () => {
  await expect(decodeYaml(`a: |\n${"  x\n".repeat(400_000)}`)).rejects.toThrow("document is too long");
});
