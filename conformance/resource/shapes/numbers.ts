import { intOrString, quantity } from "pintle/internal/resource";
import * as z from "zod";
import { bad, badSince, good, one, type Shape } from "../shape.ts";

export const numbers: readonly Shape[] = [
  {
    name: "int32",
    says: ["type", "format"],
    spec: one(z.int32()),
    good: good(2147483647),
    bad: [badSince("1.36", 2147483648), bad(1.5), bad("1")],
  },
  { name: "int64", says: ["type", "format"], spec: one(z.int()), good: good(2 ** 53 - 1), bad: [bad(1e19), bad(0.5)] },
  { name: "uint32", says: ["minimum", "maximum"], spec: one(z.uint32()), good: good(4294967295), bad: [bad(4294967296), bad(-1)] },
  { name: "double", says: ["type", "format"], spec: one(z.float64()), good: good(1.5), bad: [bad("1.5"), bad(true)] },
  { name: "float", says: ["type", "format"], spec: one(z.float32()), good: good(1.5), bad: [badSince("1.36", 3.5e38), bad("x")] },
  { name: "minimum", says: ["minimum"], spec: one(z.int().min(1)), good: good(1), bad: [bad(0), bad(-5)] },
  { name: "maximum", says: ["maximum"], spec: one(z.int().max(9)), good: good(9), bad: [bad(10), bad(100)] },
  { name: "exclusiveMinimum", says: ["exclusiveMinimum"], spec: one(z.int().positive()), good: good(1), bad: [bad(0), bad(-1)] },
  { name: "exclusiveMaximum", says: ["exclusiveMaximum"], spec: one(z.float64().lt(1)), good: good(0.5), bad: [bad(1), bad(1.1)] },
  {
    name: "the strictest of several bounds",
    says: ["minimum", "exclusiveMinimum", "maximum"],
    spec: one(z.int().min(1).gt(1).max(9).lt(12)),
    good: good(2),
    bad: [bad(1), bad(10)],
  },
  {
    name: "fractions as bounds of a float",
    says: ["minimum", "maximum", "exclusiveMinimum"],
    spec: one(z.float64().gt(0.5).max(2.5)),
    good: good(1),
    bad: [bad(0), bad(3), bad(2.6), bad(0.5)],
  },
  { name: "multipleOf", says: ["multipleOf"], spec: one(z.int().multipleOf(3)), good: good(9), bad: [bad(10), bad(1)] },
  { name: "an int by check", says: ["format"], spec: one(z.number().int().nonnegative()), good: good(0), bad: [bad(-1), bad(0.5)] },
  { name: "a boolean", says: ["type"], spec: one(z.boolean()), good: good(false), bad: [bad("false"), bad(0)] },
  { name: "enum of integers", says: ["enum"], spec: one(z.literal([1, 2])), good: good(2), bad: [bad(3), bad("1")] },
  { name: "enum of one boolean", says: ["enum"], spec: one(z.literal(true)), good: good(true), bad: [bad(false), bad("true")] },
  {
    name: "quantity",
    says: ["x-kubernetes-int-or-string", "anyOf", "pattern"],
    spec: one(quantity()),
    good: good("500m"),
    bad: [bad("5 apples"), bad(1.5), bad(true)],
  },
  { name: "quantity as a number", says: ["x-kubernetes-int-or-string"], spec: one(quantity()), good: good(2), bad: [bad(""), bad("1KiB")] },
  {
    name: "int or string",
    says: ["x-kubernetes-int-or-string", "anyOf"],
    spec: one(intOrString()),
    good: good("25%"),
    bad: [bad(1.5), bad(true)],
  },
  {
    name: "int32 or string",
    says: ["x-kubernetes-int-or-string", "minimum", "maximum"],
    spec: one(z.union([z.int32().min(1), z.string()])),
    good: good(2147483647),
    bad: [bad(2147483648), bad(0)],
  },
  {
    name: "int or string, both narrowed",
    says: ["x-kubernetes-int-or-string", "minimum", "pattern"],
    spec: one(z.union([z.int().min(1), z.string().regex(/^\d+%$/)])),
    good: good("25%"),
    bad: [bad(0), bad("25")],
  },
];
