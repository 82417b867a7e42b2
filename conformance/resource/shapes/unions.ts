import * as z from "zod";
import { bad, good, one, type Shape } from "../shape.ts";

const Source = z.discriminatedUnion("type", [
  z.object({ type: z.literal("git"), url: z.string(), branch: z.string().optional() }),
  z.object({ type: z.literal("image"), image: z.string() }),
  z.object({ type: z.enum(["none", "later"]) }),
]);

export const unions: readonly Shape[] = [
  {
    name: "a discriminated union",
    says: ["oneOf", "not", "enum"],
    spec: one(Source),
    good: good({ type: "git", url: "a", branch: "b" }),
    bad: [
      bad({ type: "git" }),
      bad({ type: "ftp", url: "a" }, "spec.x.type"),
      bad({ type: "image", image: "a", url: "b" }),
      bad({ url: "a" }, "spec.x.type"),
    ],
  },
  {
    name: "another branch of it",
    says: ["oneOf"],
    spec: one(Source),
    good: good({ type: "later" }),
    bad: [bad({ type: "none", image: "a" }), bad({ type: "image" })],
  },
  {
    name: "a discriminated union that may be null",
    says: ["oneOf", "nullable"],
    spec: one(Source.nullable()),
    good: good(null),
    bad: [bad({ type: "git" }), bad({ type: "none", url: "a" })],
  },
  {
    name: "a union discriminated by a boolean, with a shared field",
    says: ["oneOf"],
    spec: one(
      z.discriminatedUnion("enabled", [
        z.object({ enabled: z.literal(true), name: z.string(), size: z.int().min(1) }),
        z.object({ enabled: z.literal(false), name: z.string() }),
      ]),
    ),
    good: good({ enabled: true, name: "a", size: 1 }),
    bad: [bad({ enabled: true, name: "a" }), bad({ enabled: false, name: "a", size: 1 }), bad({ enabled: false })],
  },
  {
    name: "a list of discriminated unions",
    says: ["oneOf", "items"],
    spec: one(z.array(Source)),
    good: good([{ type: "none" }, { type: "image", image: "a" }]),
    bad: [bad([{ type: "image" }], "spec.x[0]"), bad([{ type: "git", url: "a" }, { type: "x" }], "spec.x[1].type")],
  },
];
