import { OBJECT_META, shapeOf } from "pintle/merge";
import { expect, test } from "vitest";
import { definition } from "../builtin/index.ts";

test("the metadata of custom resources merges as a real server publishes it", () => {
  expect(OBJECT_META).toEqual(shapeOf(definition("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")!, definition));
});
