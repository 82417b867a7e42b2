import { seededRandom } from "pintle/internal/clock";
import type { Json } from "pintle/kinds";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { decodeYaml } from "./yaml.ts";
import { encodeYaml, LazyList } from "./yaml-encode.ts";

const encode = (value: Json | LazyList) => [...encodeYaml(value)].join("");

test("encodeYaml writes block style in the form of sigs.k8s.io/yaml", () => {
  const value = { kind: "List", items: [{ a: 1, b: ["x", []] }, [[true], {}]], text: "one\ntwo\n", word: "yes", time: "12:30" };
  expect(encode(value)).toBe(`kind: List
items:
- a: 1
  b:
  - x
  - []
- - - true
  - {}
text: |
  one
  two
word: "yes"
time: "12:30"
`);
});

test("encodeYaml makes the items of a lazy list while it writes them", () => {
  const readIndexes: number[] = [];
  const items = new LazyList(1000, (index) => {
    readIndexes.push(index);
    return { index };
  });
  const chunks = encodeYaml({ items } as unknown as Json);
  const first = chunks.next().value as string;
  expect(readIndexes.length).toBeLessThan(200);
  expect(parse([first, ...chunks].join("")).items).toHaveLength(1000);
});

const TEXTS = [
  "",
  " ",
  "a",
  "~",
  "null",
  "Yes",
  "0x1f",
  "1e3",
  "1_000",
  "2001-01-01",
  "1:30",
  "- a",
  "a: b",
  "a #b",
  "#",
  "&a",
  "*a",
  "!a",
  "|",
  "%",
  "@",
  "`",
];
const LINES = [
  "a\nb",
  "a\n",
  "a\n\n",
  "\na",
  " a\nb",
  "a\n b",
  "a\n\tb\n",
  "a \nb",
  "\n",
  "a\r\nb",
  "a\u2028b\n",
  "a\x01b",
  "\ufeffa\n",
  "é\nü",
  "😀\n",
  "a\n\nb\n\n\n",
];
const ALL = [...TEXTS, ...LINES, "x".repeat(2000), "...", "---", "a\n---\nb\n", "=", "<<", ".inf", "-", "?"];

test("what encodeYaml writes is read back as the same value, for random values of awkward text", async () => {
  const random = seededRandom(17);
  const pick = () => ALL[Math.floor(random() * ALL.length)] as string;
  const build = (depth: number): Json => {
    const kind = random();
    if (depth === 0 || kind < 0.4)
      return random() < 0.8 ? pick() : ([null, true, false, 0, -1.5, 1e21, 1e-7, 12345678901234][Math.floor(random() * 8)] as Json);
    const length = Math.floor(random() * 4);
    if (kind < 0.7) return Array.from({ length }, () => build(depth - 1));
    return Object.fromEntries(Array.from({ length }, () => [pick(), build(depth - 1)]));
  };
  for (let round = 0; round < 500; round++) {
    const value = build(4);
    const text = encode(value);
    expect((await decodeYaml(text)).value, text).toEqual(value);
    expect(parse(text), text).toEqual(value);
  }
});
