import { describe, expect, test } from "vitest";
import { parseSimpleYaml } from "../../src/yaml/parse-simple-yaml.ts";
import { parseFullDocument, parseFullDocuments } from "../../src/yaml/parse-yaml.ts";
import { createRandom } from "../hostile/inputs.ts";

const DOCUMENTS = [
  `# A comment
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.17.2
    empty: ""
    "quoted key": 'it''s'
  name: things.example.com
spec:
  versions:
  - name: v1
    served: true
    storage: yes
    schema:
      openAPIV3Schema:
        description: Thing is a long text that goes on
          in the next line

          and after an empty one.
        properties:
          size:
            default: 3
            description: |-
              Size of it.

                indented
              end: with a colon # and a hash
            enum: []
            maximum: 1e3
            minimum: -1.5
            type: integer
          text:
            description: "Double \\"quoted\\" \\u00e9
              and folded"
            pattern: '^[a-z]*
              $'
            x-list: ["a", "b"]
        type: object
    subresources: {}
    folded: >-
      one
      two

      three
    kept: >+
      one
        indented
      two

        again

      three


    keptLiteral: |+
      a

    keywords: ['etcd', "key value", plain, true, "a, b"]
    verbs: [ get, list ]
    range: <1.0.0
    quantities: [a, b]
    memory: 64Mi
    cpu: 10m
    release: 1.2.3-rc.1
    short: 1.2
    clipped: >
      one

    commented: text # of what
    number: 5 # five
    escapes: "a\\tb\\x41\\_\\/
      \\ c"
    breaks: "one\\
      \\ two\\n\\
      three"
    base64: 0aGVsbG8gd29ybGQ=/+
    nothing:
    tilde: ~
    date: 2020-01-01
    version: "1.0"
    octal: 0o17
    old: 017
    sexagesimal: 1:30
  conversion: {strategy: None}
status:
  conditions: []
`,
  `kind: List
items:
  - kind: A
    args:
      - --flag
      - -v
      - "--quoted=1"
      - a: 1
        b:
        - c
        -
          d: e
      - - nested
        - twice
      - |
        literal

      -
    last: /path
  - kind: B
`,
  "a: b\n---\nc: |\n  d\n---\n# only a comment\ne: f\n",
];

const outcome = (run: () => unknown): unknown => {
  try {
    return { value: run() };
  } catch {
    return "error";
  }
};

describe("the fast parser of YAML", () => {
  test.each(DOCUMENTS)("reads what manifests consist of (%#)", (text) => {
    // Without what it gives up on.
    const simple = text.replace(/^.*(conversion|flow).*\n/gm, "");
    const parsed = parseSimpleYaml(simple, parseFullDocument);
    expect(parsed).toBeDefined();
    expect(parsed).toEqual(parseFullDocuments(simple));
  });

  test("leniently reads lines of quoted texts with any indent, as Go does", () => {
    const text = 'a:\r\n  b: "one\\\r\n\t\\ two\r\nthree"\r\n  c: 1\r\n';
    expect(parseSimpleYaml(text, parseFullDocument)).toBeUndefined();
    expect(parseSimpleYaml(text, parseFullDocument, true)).toEqual([{ a: { b: "one two three", c: 1 } }]);
    expect(parseSimpleYaml("a:\n\t- b\n", parseFullDocument, true)).toBeUndefined();
  });

  test("reads changed documents as the full parser, or gives up", () => {
    const random = createRandom(7);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    const INSERTS = [
      ..."abc:#-'\"|>[]{}&*!%@`,?~=<>\\ 019.\n",
      ": ",
      " #",
      "- ",
      "\n\n",
      "\n  ",
      "\n    ",
      "|-\n",
      "''",
      '\\"',
      "---\n",
      "\n...\n",
      "y",
      "null",
      "<<: ",
      "é",
      "\t",
      "  ",
    ];
    let read = 0;
    for (let i = 0; i < Number(process.env["PINTLE_FUZZ"] ?? 6_000); i++) {
      let text = pick(DOCUMENTS);
      for (let changes = 1 + Math.floor(random() * 4); changes > 0; changes--) text = change(text, random, pick, INSERTS);
      if (random() < 0.1) text = text.replaceAll("\n", "\r\n");
      const parsed = parseSimpleYaml(text, parseFullDocument);
      if (parsed === undefined) continue;
      read++;
      const documents = parsed.filter((document) => document !== null);
      expect({ text, documents }).toEqual({
        text,
        documents: (outcome(() => parseFullDocuments(text)) as { readonly value?: unknown }).value,
      });
    }
    expect(read).toBeGreaterThan(500);
  });
});

function change(text: string, random: () => number, pick: <T>(list: readonly T[]) => T, inserts: readonly string[]): string {
  const lines = text.split("\n");
  const line = Math.floor(random() * lines.length);
  const at = Math.floor(random() * text.length);
  switch (Math.floor(random() * 7)) {
    case 0:
      lines.splice(line, 1);
      break;
    case 1:
      lines.splice(line, 0, pick(lines));
      break;
    case 2:
      lines[line] = " ".repeat(Math.floor(random() * 3)) + lines[line]!;
      break;
    case 3:
      lines[line] = lines[line]!.replace(/^ {1,2}/, "");
      break;
    case 4:
      return text.slice(0, at) + text.slice(at + 1 + Math.floor(random() * 3));
    case 5:
      lines[line] = `${lines[line]!}${pick(inserts)}`;
      break;
    default:
      return text.slice(0, at) + pick(inserts) + text.slice(at);
  }
  return lines.join("\n");
}

describe("parseFullDocument", () => {
  test.each([
    ["lists", "[".repeat(100_000)],
    ["closed lists", `${"[".repeat(400)}${"]".repeat(400)}`],
    ["objects", "{a: ".repeat(5000)],
    ["lists that close in texts only", '["]", '.repeat(5000)],
    ["block lists", "- ".repeat(100_000)],
    ["keys", "? ".repeat(100_000)],
    ["indented objects", Array.from({ length: 400 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")],
  ])("refuses %s that are nested too deep, before recursion can end the process", (_, text) => {
    expect(() => parseFullDocument(text)).toThrow("exceeded max depth of 250");
  });

  test("reads many brackets that are not nested", () => {
    const text = Array.from({ length: 2000 }, (_, i) => `- ["[[{{${i}"]`).join("\n");
    expect(parseFullDocument(text)).toHaveLength(2000);
  });

  test("names line and column of the first of many errors", () => {
    expect(() => parseFullDocument(`a: 1\nb: ${"&a ".repeat(3000)}`)).toThrow(/^A node can have at most one anchor at line 2, column 7$/);
  });
});
