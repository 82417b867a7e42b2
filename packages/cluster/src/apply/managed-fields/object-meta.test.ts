import { OBJECT_META_SHAPE, shapeFromSchema } from "pintle/internal/merge";
import { expect, test } from "vitest";
import { getDefinition } from "../../builtin/index.ts";

test("uses the ObjectMeta merge strategies that a real server publishes for custom resources", () => {
  expect(OBJECT_META_SHAPE).toEqual(shapeFromSchema(getDefinition("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")!, getDefinition));
});
