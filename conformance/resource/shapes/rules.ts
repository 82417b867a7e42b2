import {
  atLeastOneOf,
  atMostOneOf,
  celRule,
  duration,
  exactlyOneOf,
  immutable,
  listMap,
  quantity,
  timestamp,
} from "pintle/internal/resource";
import * as z from "zod";
import { bad, good, one, type RejectedSpec, type Shape } from "../shape.ts";

const Range = z.object({ min: z.int(), max: z.int() });
const Choice = z.object({ a: z.string().optional(), b: z.string().optional(), c: z.string().optional() });
const SAYS = ["x-kubernetes-validations"];
const update = (from: unknown, x: unknown, field = "spec.x", message?: string): RejectedSpec => ({
  ...bad(x, field, message),
  from: good(from),
});

export const rules: readonly Shape[] = [
  {
    name: "a rule",
    says: SAYS,
    spec: one(celRule(Range, "self.min <= self.max")),
    good: good({ min: 1, max: 2 }),
    bad: [bad({ min: 2, max: 1 }, "spec.x", "failed rule: self.min <= self.max"), bad({ min: 1 }, "spec.x.max")],
  },
  {
    name: "a rule with a message",
    says: SAYS,
    spec: one(celRule(Range, "self.min <= self.max", { message: "min is above max" })),
    good: good({ min: 1, max: 1 }),
    bad: [bad({ min: 2, max: 1 }, "spec.x", "min is above max"), bad({ min: 5, max: 4 }, "spec.x", "min is above max")],
  },
  {
    name: "a rule with a messageExpression",
    says: SAYS,
    spec: one(celRule(Range, "self.min <= self.max", { messageExpression: "self.max < 0 ? 'max is negative' : 'min is above max'" })),
    good: good({ min: 1, max: 1 }),
    bad: [bad({ min: 2, max: 1 }, "spec.x", "min is above max"), bad({ min: 2, max: -1 }, "spec.x", "max is negative")],
  },
  {
    name: "a rule with a reason and a fieldPath",
    says: SAYS,
    spec: one(celRule(Range, "self.min <= self.max", { message: "no", reason: "FieldValueForbidden", fieldPath: ".min" })),
    good: good({ min: 1, max: 1 }),
    bad: [bad({ min: 2, max: 1 }, "spec.x.min", "Forbidden: no"), bad({ min: 5, max: 4 }, "spec.x.min", "Forbidden: no")],
  },
  {
    name: "optionalOldSelf",
    says: SAYS,
    spec: one(celRule(z.int(), "self >= oldSelf.orValue(3)", { optionalOldSelf: true, message: "only up" })),
    good: good(3),
    bad: [bad(2, "spec.x", "only up"), update(5, 4, "spec.x", "only up")],
  },
  {
    name: "several rules on one field",
    says: SAYS,
    spec: one(celRule(celRule(z.string().max(20), "self.startsWith('a')"), "self.endsWith('z')", { message: "ends in z" })),
    good: good("az"),
    bad: [bad("bz", "spec.x", "failed rule: self.startsWith('a')"), bad("ab", "spec.x", "ends in z")],
  },
  {
    name: "a rule on the items of a list",
    says: SAYS,
    spec: one(z.array(celRule(Range, "self.min <= self.max"))),
    good: good([{ min: 1, max: 2 }]),
    bad: [
      bad([{ min: 2, max: 1 }], "spec.x[0]"),
      bad(
        [
          { min: 1, max: 1 },
          { min: 1, max: 0 },
        ],
        "spec.x[1]",
      ),
    ],
  },
  {
    name: "rules that know durations, times and quantities",
    says: SAYS,
    spec: one(
      celRule(
        z.object({ every: duration(), from: timestamp(), memory: quantity() }),
        "self.every >= duration('1m') && self.from > timestamp('2020-01-01T00:00:00Z') && quantity(self.memory).isGreaterThan(quantity('1Mi'))",
        { message: "too small" },
      ),
    ),
    good: good({ every: "2m", from: "2026-01-01T00:00:00Z", memory: "1Gi" }),
    bad: [
      bad({ every: "1s", from: "2026-01-01T00:00:00Z", memory: "1Gi" }, "spec.x", "too small"),
      bad({ every: "2m", from: "2026-01-01T00:00:00Z", memory: "1Ki" }, "spec.x", "too small"),
    ],
  },
  {
    name: "a rule on an object with defaults inside",
    says: [...SAYS, "default"],
    spec: one(celRule(z.object({ min: z.int().default(1), max: z.int().default(2) }), "self.min <= self.max").prefault({})),
    good: {},
    stored: good({ min: 1, max: 2 }),
    bad: [bad({ min: 3 }), bad({ max: 0 })],
  },
  {
    name: "a rule on the whole spec",
    says: SAYS,
    spec: celRule(z.object({ min: z.int().default(1), max: z.int().default(2) }), "self.min <= self.max"),
    good: {},
    stored: { min: 1, max: 2 },
    bad: [
      { spec: { min: 3 }, field: "spec" },
      { spec: { max: 0 }, field: "spec" },
    ],
  },
  {
    name: "a rule on the whole object",
    says: SAYS,
    spec: one(z.int()),
    rules: [{ rule: "self.spec.x < 10 || self.metadata.name.startsWith('big')", message: "too big a number for this name" }],
    good: good(9),
    bad: [bad(10, "<nil>", "too big a number"), bad(11, "<nil>", "too big a number")],
  },
  {
    name: "exactlyOneOf",
    says: SAYS,
    spec: one(exactlyOneOf(Choice, "a", "b", "c")),
    good: good({ a: "1" }),
    bad: [bad({}, "spec.x", "exactly one of [a b c] must be set"), bad({ a: "1", c: "1" }, "spec.x", "exactly one of [a b c] must be set")],
  },
  {
    name: "exactlyOneOf in an unbounded list",
    says: SAYS,
    spec: one(z.array(exactlyOneOf(Choice, "a", "b"))),
    good: good([{ a: "1" }, { b: "1" }]),
    bad: [bad([{}], "spec.x[0]"), bad([{ a: "1", b: "1" }], "spec.x[0]")],
  },
  {
    name: "atMostOneOf",
    says: SAYS,
    spec: one(atMostOneOf(Choice, "a", "b")),
    good: good({ c: "1" }),
    bad: [bad({ a: "1", b: "1" }, "spec.x", "at most one of [a b] may be set"), bad({ a: "1", b: "1", c: "1" })],
  },
  {
    name: "atLeastOneOf",
    says: SAYS,
    spec: one(atLeastOneOf(Choice, "a", "b")),
    good: good({ a: "1", b: "1" }),
    bad: [bad({}, "spec.x", "at least one of [a b] must be set"), bad({ c: "1" })],
  },
  {
    name: "exactlyOneOf on the whole spec, with names CEL has to escape",
    says: SAYS,
    spec: exactlyOneOf(z.object({ namespace: z.string().optional(), "some-label": z.string().optional() }), "namespace", "some-label"),
    good: { namespace: "a" },
    bad: [
      { spec: {}, field: "spec" },
      { spec: { namespace: "a", "some-label": "b" }, field: "spec" },
    ],
  },
  {
    name: "immutable",
    says: SAYS,
    spec: one(immutable(z.string().max(20))),
    good: good("a"),
    bad: [update("a", "b", "spec.x", "is immutable"), update("a", "", "spec.x", "is immutable")],
  },
  {
    name: "an immutable object",
    says: SAYS,
    spec: one(immutable(Range)),
    good: good({ min: 1, max: 2 }),
    bad: [update({ min: 1, max: 2 }, { min: 1, max: 3 }), update({ min: 1, max: 2 }, { min: 0, max: 2 })],
  },
  {
    name: "immutable inside a keyed list",
    says: [...SAYS, "x-kubernetes-list-map-keys"],
    spec: one(listMap(z.object({ name: z.string(), size: immutable(z.int()) }), "name")),
    good: good([{ name: "a", size: 1 }]),
    bad: [
      update([{ name: "a", size: 1 }], [{ name: "a", size: 2 }], "spec.x[0].size"),
      update(
        [{ name: "a", size: 1 }],
        [
          { name: "b", size: 5 },
          { name: "a", size: 2 },
        ],
        "spec.x[1].size",
      ),
    ],
  },
];
