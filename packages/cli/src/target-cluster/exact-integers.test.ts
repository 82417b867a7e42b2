import { expect, test } from "vitest";
import { outputFormatter } from "../command/index.ts";
import { parseYaml, toYaml } from "../manifests/index.ts";
import { diffFields } from "./diff.ts";

test("manifests, differences and output keep integers beyond 2^53", () => {
  const text = "---\nspec:\n  large: 9223372036854775807\n  m: 3\n  f: 1.5\n";
  const [object] = parseYaml(text, "a.yaml");
  expect(object).toEqual({ spec: { large: 9223372036854775807n, m: 3, f: 1.5 } });
  expect(toYaml([object])).toBe(text);
  expect(diffFields({ n: 9007199254740993n }, { n: 9007199254740992n })).toEqual([
    { path: "n", from: 9007199254740993n, to: 9007199254740992n },
  ]);
  expect(outputFormatter({ values: { output: "json" } })?.(object)).toBe('{"spec":{"large":9223372036854775807,"m":3,"f":1.5}}\n');
});
