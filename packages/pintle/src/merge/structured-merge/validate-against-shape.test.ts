import { expect, test } from "vitest";
import type { JsonObject, Shape } from "../../kinds/index.ts";
import { formatViolations, validateAgainstShape } from "./validate-against-shape.ts";

const SHAPE: Shape = {
  fields: {
    num: { scalar: "number" },
    text: { scalar: "string" },
    flag: { scalar: "boolean" },
    any: {},
    set: { items: { scalar: "string" }, list: "set" },
    list: { items: { fields: { name: { scalar: "string" }, n: { scalar: "number" } } }, list: "map", keys: ["name"] },
    map: { values: { scalar: "string" } },
    free: { untyped: true },
  },
};

// The messages of a real API server.
test.each<[JsonObject, readonly string[]]>([
  [{ num: 1, text: "a", flag: true, any: "x", set: ["a"], list: [{ name: "a" }], map: { a: "b" }, free: [1, { a: null }] }, []],
  [{ num: null, text: null, set: null, map: null }, []],
  [{ num: "a" }, [".num: expected numeric (int or float), got string"]],
  [{ num: { a: 1 } }, [".num: expected numeric (int or float), got map[string]interface {}"]],
  [{ text: 1 }, [".text: expected string, got &value.valueUnstructured{Value:1}"]],
  [{ text: ["x", 1] }, ['.text: expected string, got &value.valueUnstructured{Value:[]interface {}{"x", 1}}']],
  [{ text: { a: "x" } }, ['.text: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":"x"}}']],
  [{ flag: 1 }, [".flag: expected boolean, got &{1}"]],
  [{ any: { a: 1 } }, [".any: expected any scalar, got &{map[a:1]}"]],
  [{ set: { a: 1 } }, [".set: expected list, got &{map[a:1]}"]],
  [{ map: [1] }, [".map: expected map, got &{[1]}"]],
  [{ set: ["x", "x"] }, ['.set: duplicate entries for key [="x"]']],
  [{ set: [null] }, [".set: element 0: associative list without keys has an element that's an explicit null"]],
  [{ set: [{ a: 1 }] }, [".set: element 0: associative list without keys has an element that's a map type"]],
  [{ set: [[1]] }, [".set: element 0: not supported: associative list with lists as elements"]],
  [{ list: [{ name: "a" }, { name: "a", n: 1 }] }, ['.list: duplicate entries for key [name="a"]']],
  [
    { list: [{ n: 1 }] },
    [
      '.list: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
  ],
  [{ list: ["a"] }, [".list: element 0: associative list with keys may not have non-map elements"]],
  [{ list: [null] }, [".list: element 0: associative list with keys may not have a null element"]],
  [{ list: [{ name: "a", n: "b" }] }, ['.list[name="a"].n: expected numeric (int or float), got string']],
  [{ zz: 1 }, [".zz: field not declared in schema"]],
])("validates %j", (value, violations) => {
  expect(validateAgainstShape(value, SHAPE)).toEqual(violations);
});

test("formatViolations joins several violations", () => {
  expect(formatViolations(["one"])).toBe("one");
  expect(formatViolations(validateAgainstShape({ num: "a", text: 1 }, SHAPE))).toBe(
    "errors:\n  .num: expected numeric (int or float), got string\n  .text: expected string, got &value.valueUnstructured{Value:1}",
  );
});
