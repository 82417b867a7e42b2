import { expect, test } from "vitest";
import type { ObjectSummary } from "../../protocol.ts";
import { listTree } from "./owner-tree.ts";

const object = (uid: string, ...owners: readonly string[]): ObjectSummary => ({
  path: `apps/x/d/${uid}`,
  apiVersion: "apps/v1",
  kind: "X",
  name: uid,
  uid,
  revision: 1,
  state: "ok",
  stateText: "",
  owners,
});
const shown = (objects: readonly ObjectSummary[], closed: readonly string[] = []) =>
  listTree(objects, new Set(closed)).map(({ object: { uid }, level }) => `${level} ${uid}`);

test("lists children below their owner, whatever the order, and objects whose owner is not there as roots", () => {
  expect(shown([object("pod", "rs"), object("rs", "gone", "deploy"), object("deploy"), object("other", "gone")])).toEqual([
    "1 deploy",
    "2 rs",
    "3 pod",
    "1 other",
  ]);
});

test("leaves out what is below a closed object", () => {
  expect(shown([object("a"), object("b", "a"), object("c", "b"), object("d")], ["a"])).toEqual(["1 a", "1 d"]);
});

test("lists objects that own each other or themselves once", () => {
  expect(shown([object("a", "b"), object("b", "a"), object("c", "c")]).sort()).toEqual(["1 a", "1 c", "2 b"]);
});
