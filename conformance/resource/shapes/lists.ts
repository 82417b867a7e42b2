import { atomic, intOrString, listMap, listSet } from "pintle/internal/resource";
import * as z from "zod";
import { bad, good, one, type Shape } from "../shape.ts";

const Port = z.object({ name: z.string(), port: z.int32() });
const Listener = z.object({ port: z.int32(), protocol: z.enum(["TCP", "UDP"]).default("TCP"), host: z.string().optional() });

export const lists: readonly Shape[] = [
  { name: "a list", says: ["items"], spec: one(z.array(z.string())), good: good(["a", "a"]), bad: [bad("a"), bad([1], "spec.x[0]")] },
  { name: "minItems", says: ["minItems"], spec: one(z.array(z.string()).nonempty()), good: good(["a"]), bad: [bad([]), bad({})] },
  {
    name: "maxItems",
    says: ["maxItems"],
    spec: one(z.array(z.int()).max(2)),
    good: good([1, 2]),
    bad: [bad([1, 2, 3]), bad([1, 2, 3, 4])],
  },
  {
    name: "checks on items",
    says: ["items", "minLength", "pattern"],
    spec: one(z.array(z.string().min(2).regex(/^a/))),
    good: good(["ab"]),
    bad: [bad(["ab", "a"], "spec.x[1]"), bad(["ba"], "spec.x[0]")],
  },
  {
    name: "list-type set",
    says: ["x-kubernetes-list-type"],
    spec: one(listSet(z.string())),
    good: good(["a", "b"]),
    bad: [bad(["a", "a"], "spec.x[1]"), bad(["a", "b", "b"], "spec.x[2]")],
  },
  {
    name: "a set of int or string",
    says: ["x-kubernetes-list-type", "x-kubernetes-int-or-string"],
    spec: one(listSet(intOrString())),
    good: good([1, "1"]),
    bad: [bad([1, 1], "spec.x[1]"), bad(["a", "a"], "spec.x[1]")],
  },
  {
    name: "a set of atomic objects",
    says: ["x-kubernetes-list-type", "x-kubernetes-map-type"],
    spec: one(listSet(atomic(Port))),
    good: good([
      { name: "a", port: 1 },
      { name: "a", port: 2 },
    ]),
    bad: [
      bad(
        [
          { name: "a", port: 1 },
          { name: "a", port: 1 },
        ],
        "spec.x[1]",
      ),
      bad([{ name: "a" }], "spec.x[0].port"),
    ],
  },
  {
    name: "list-type map",
    says: ["x-kubernetes-list-type", "x-kubernetes-list-map-keys"],
    spec: one(listMap(Port, "name")),
    good: good([
      { name: "a", port: 1 },
      { name: "b", port: 1 },
    ]),
    bad: [
      bad(
        [
          { name: "a", port: 1 },
          { name: "a", port: 2 },
        ],
        "spec.x[1]",
      ),
      bad([{ port: 1 }], "spec.x[0].name"),
    ],
  },
  {
    name: "list-type map with two keys, one of them defaulted",
    says: ["x-kubernetes-list-map-keys", "default"],
    spec: one(listMap(Listener, "port", "protocol")),
    good: good([{ port: 53 }, { port: 53, protocol: "UDP" }]),
    stored: good([
      { port: 53, protocol: "TCP" },
      { port: 53, protocol: "UDP" },
    ]),
    bad: [bad([{ port: 53 }, { port: 53, protocol: "TCP" }], "spec.x[1]"), bad([{ port: 53, protocol: "SCTP" }], "spec.x[0].protocol")],
  },
  {
    name: "list-type atomic",
    says: ["x-kubernetes-list-type"],
    spec: one(atomic(z.array(z.string()))),
    good: good(["a", "a"]),
    bad: [bad("a"), bad([{}], "spec.x[0]")],
  },
  {
    name: "lists of lists",
    says: ["items"],
    spec: one(z.array(z.array(z.int()).max(1))),
    good: good([[1], []]),
    bad: [bad([[1, 2]], "spec.x[0]"), bad([1], "spec.x[0]")],
  },
  {
    name: "a default list",
    says: ["default"],
    spec: one(listSet(z.string()).default(["a", "b"])),
    good: {},
    stored: good(["a", "b"]),
    bad: [bad(["a", "a"], "spec.x[1]"), bad("a")],
  },
];
