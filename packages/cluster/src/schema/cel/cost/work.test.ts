import { expect, test } from "vitest";
import type { Overload } from "../check/functions.ts";
import type { Type } from "../check/types.ts";
import { getFunctionDeclarations } from "../library/functions.ts";
import { Duration, Failure, Optional, PlainList, PlainMap, Timestamp, TypeValue, Uint, type Value } from "../values/value.ts";
import { getCallCost } from "./actual.ts";

/**
 * What one unit of cost may take. The aim is 250 ns, so that a whole budget takes 250 ms; the machine may be busy, or slower. Functions whose work is
 * not charged exceed this by factors.
 */
const MAX_NANOSECONDS_PER_COST = 3000;

const declarations = getFunctionDeclarations();
const overloads = [...declarations.values()].flatMap(({ name, overloads }) => overloads.map((overload) => ({ name, overload })));

function call(fn: string, text: string): Value {
  const { run } = declarations.get(fn)!.overloads.find(({ args }) => args.length === 1 && args[0]!.name === "string")!;
  return run(text);
}

const TEXTS = [
  ...[
    "",
    "x",
    "x:y z",
    "http://[::1",
    "http://a b/",
    "%zz",
    "1.2.3-",
    "2026-13-01T00:00:00Z",
    "2026-01-01T00:00:00.5+02:00",
    "1.2.3",
    "10Gi",
  ],
  ...["1e9999", "-1h2m", "10.0.0.1", "fe80::1", "10.0.0.0/8", "Europe/Berlin", "Foo/Bar", "true", "%s %d %v"],
  ...["a".repeat(63), "1".repeat(200), "é".repeat(40), "x".repeat(2000), "1.".repeat(500), ":".repeat(500)],
];
const QUERY = `http://a/?${"a=b&".repeat(1000)}`;
const NAMED_FORMATS = [
  "dns1123Label",
  "dns1123Subdomain",
  "dns1035Label",
  "qualifiedName",
  "labelValue",
  "uri",
  "uuid",
  "byte",
  "date",
  "datetime",
];
const SAMPLES: Readonly<Record<string, readonly Value[]>> = {
  bool: [true, false],
  int: [0n, 1n, 7n, -5n, 2n ** 63n - 1n],
  uint: [new Uint(0n), new Uint(3n)],
  double: [0, 1.5, 1e300],
  string: TEXTS,
  bytes: [new Uint8Array(0), new Uint8Array(1000).fill(65), new Uint8Array([255])],
  duration: [new Duration(0n), new Duration(123_456_789_012n)],
  timestamp: [new Timestamp(0n), new Timestamp(1_767_225_600_123_456_789n)],
  optional_type: [Optional.none, new Optional("x")],
  "net.IP": ["10.0.0.1", "fe80::1"].map((text) => call("ip", text)),
  "net.CIDR": ["10.0.0.0/8", "2001:db8::/32"].map((text) => call("cidr", text)),
  "kubernetes.URL": ["http://a:80/b?c=d", QUERY].map((text) => call("url", text)),
  "kubernetes.Quantity": ["1", "10Gi", "1n", "1E"].map((text) => call("quantity", text)),
  "kubernetes.Semver": ["1.2.3", "1.2.3-alpha.1.2.3", `${"9".repeat(100)}.2.3`].map((text) => call("semver", text)),
  "kubernetes.NamedFormat": NAMED_FORMATS.map((name) => declarations.get(`format.${name}`)!.overloads[0]!.run()),
};
const ANYTHING: readonly Value[] = ["x", 1n, "x".repeat(500), 2.5, new PlainList(["a", "b"])];

function getSamples(type: Type): readonly Value[] {
  const repeat = (values: readonly Value[], count: number) =>
    new PlainList(Array.from({ length: count }, (_, index) => values[index % values.length]!));
  switch (type.kind) {
    case "dyn":
    case "param":
      return ANYTHING;
    case "list":
      return [0, 1, 50, 1000].map((count) => repeat(getSamples(type.params[0]!), count));
    case "map":
      return [1, 1000].map((count) => new PlainMap(new Map(Array.from({ length: count }, (_, n) => [`sk${n}`, [`k${n}`, "v"] as const]))));
    case "type":
      return [new TypeValue("int")];
    case "null":
      return [null];
    default:
      return SAMPLES[type.name] ?? [];
  }
}

const MAX_COMBINATIONS = 300;

function combineArguments({ args }: Overload): readonly (readonly Value[])[] {
  let combined: Value[][] = [[]];
  for (const type of args) combined = combined.flatMap((first) => getSamples(type).map((value) => [...first, value]));
  const step = Math.ceil(combined.length / MAX_COMBINATIONS);
  return combined.filter((_, index) => index % step === 0);
}

/** The shortest of several runs, in nanoseconds: in the others the processor had something else to do. */
function measureBest(run: () => void): number {
  run();
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    const start = process.hrtime.bigint();
    for (let n = 0; n < 4; n++) run();
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 4);
  }
  return best;
}

/** Authorization has a cost of its own, patterns are charged while they match, and a range needs a number of items that fits. */
const isMeasured = ({ id, isRegex, args }: Overload) =>
  !isRegex && id !== "lists_range" && !args.some(({ name }) => name.startsWith("kubernetes.authorization"));

test.each(overloads.filter(({ overload }) => isMeasured(overload)).map((each) => [each.overload.id, each] as const))(
  "%s takes time in proportion to its cost",
  (_, { name, overload }) => {
    const slow: string[] = [];
    for (const args of combineArguments(overload)) {
      const cost = getCallCost(name, overload.id, args, overload.run(...args));
      const limit = (cost + args.length + 1) * MAX_NANOSECONDS_PER_COST;
      const taken = measureBest(() => getCallCost(name, overload.id, args, overload.run(...args)));
      if (taken > limit)
        slow.push(`${Math.round(taken)} ns for a cost of ${cost}: ${args.map((arg) => String(arg).slice(0, 40)).join(", ")}`);
    }
    expect(slow).toEqual([]);
  },
);

test("calls that fail are charged for the text of their error", () => {
  const { id, run } = declarations.get("timestamp")!.overloads.find(({ args }) => args[0]!.name === "string")!;
  const failed = run("x".repeat(160));
  expect(failed).toBeInstanceOf(Failure);
  expect(getCallCost("timestamp", id, ["x".repeat(160)], failed)).toBeGreaterThan(20);
  const time = "2026-01-01T00:00:00Z";
  expect(getCallCost("timestamp", id, [time], run(time))).toBeLessThan(10);
});
