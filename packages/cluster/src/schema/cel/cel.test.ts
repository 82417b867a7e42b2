import { describe, expect, test } from "vitest";
import {
  BOOL,
  CompileError,
  CostExceeded,
  compileExpression,
  DYN,
  Failure,
  INT,
  listOf,
  mapOf,
  PlainList,
  STRING,
  type Value,
} from "./index.ts";

/** Evaluates an expression that has no variables. */
function evaluate(source: string): Value {
  return compileExpression(source, {}).run([], Number.POSITIVE_INFINITY).value;
}

describe("evaluates to true, as in cel-go", () => {
  test.each([
    "1 + 2 * 3 == 7 && -7 / 2 == -3 && -7 % 2 == -1",
    "dyn(1) == 1.0 && 1u < 2 && 2.5 > 2",
    "[1, 2, 3].map(x, x > 1, x * 2) == [4, 6]",
    "{'a': 1, 'b': 2}.all(k, v, v > 0 && k in ['a', 'b'])",
    "[1, 2].exists_one(x, x == 2) && ![1, 1].exists_one(x, x == 1)",
    "has({'a': 1}.a) && !has({'a': 1}.b)",
    "{'a': 1}.?b.orValue(2) == 2 && [1][?3].hasValue() == false",
    "size('😀') == 1 && '😀x'.charAt(1) == 'x' && 'abc'.substring(1) == 'bc'",
    "'a,b,c'.split(',', 2) == ['a', 'b,c'] && ['a', 'b'].join('-') == 'a-b'",
    "'%s has %d of %.2f'.format(['x', 3, 1.5]) == 'x has 3 of 1.50'",
    "'abc123'.matches('^[a-z]+\\\\d+$') && 'a1b22'.findAll('[0-9]+') == ['1', '22']",
    "quantity('1Gi').compareTo(quantity('1024Mi')) == 0 && quantity('100m').add(quantity('0.1')).isGreaterThan(quantity('0.1'))",
    "ip('192.168.0.1').family() == 4 && cidr('10.0.0.0/8').containsIP('10.1.2.3') && isIP('::1') && !isCIDR('1.2.3.4')",
    "url('https://a.b:80/c?d=e').getHost() == 'a.b:80' && url('https://a.b/c?d=e').getQuery() == {'d': ['e']}",
    "[1, 2, 2].isSorted() && [3, 1].min() == 1 && [1, 2].sum() == 3 && ['a', 'b'].indexOf('b') == 1",
    "sets.contains([1, 2, 3], [2]) && sets.equivalent([1, 1], [1]) && sets.intersects([1], [1, 2])",
    "semver('1.2.3').isLessThan(semver('1.10.0')) && isSemver('1.0.0-rc.1')",
    "duration('1h30m').getMinutes() == 90 && timestamp('2026-01-31T00:00:00Z').getDate() == 31",
    "timestamp('2026-01-01T00:00:00Z') + duration('24h') == timestamp('2026-01-02T00:00:00Z')",
    "b'abc'.size() == 3 && string(b'abc') == 'abc' && int('7') == 7 && type(1) == int",
    "false && 1 / 0 == 1 ? false : true",
    "format.dns1123Label().validate('Not').hasValue()",
  ])("%s", (source) => expect(evaluate(source)).toBe(true));
});

describe("fails with the message of cel-go", () => {
  test.each([
    ["1 / 0", "division by zero"],
    ["[1][2]", "index out of bounds: 2"],
    ["{'a': 1}['b']", "no such key: b"],
    ["9223372036854775807 + 1", "integer overflow"],
    ["['x'].map(x, int(x))", "type conversion error from 'string' to 'int'"],
  ])("%s", (source, text) => {
    const failure = evaluate(source);
    expect(failure).toBeInstanceOf(Failure);
    expect((failure as Failure).message).toContain(text);
  });
});

describe("throws CompileError with the message of cel-go", () => {
  test.each([
    ["self.foo", "type 'int' does not support field selection"],
    ["duration('x')", "invalid duration argument"],
    ["other", "undeclared reference to 'other'"],
    ["1 + 'a'", "found no matching overload for '_+_' applied to '(int, string)'"],
    ["1 +", "Syntax error"],
    ["[1, 2].map(1, 2)", "argument is not an identifier"],
    ["[1, 2].all(1, true)", "argument must be a simple name"],
  ])("%s", (source, text) => {
    const compileSource = () => compileExpression(source, { self: INT });
    expect(compileSource).toThrow(CompileError);
    expect(compileSource).toThrow(text);
  });
});

test("throws CostExceeded when the cost exceeds the limit", () => {
  const program = compileExpression("self.all(x, self.all(y, x == y || true))", { self: listOf(INT) });
  const numbers = new PlainList(Array.from({ length: 100 }, (_, i) => BigInt(i)));
  expect(program.run([numbers], 1_000_000).value).toBe(true);
  expect(() => program.run([numbers], 1_000)).toThrow(CostExceeded);
});

test("reports the result type at compile time", () => {
  expect(compileExpression("self.size() > 0", { self: mapOf(STRING, DYN) }).type).toBe(BOOL);
});
