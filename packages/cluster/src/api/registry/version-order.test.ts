import { expect, test } from "vitest";
import { compareVersions } from "./version-order.ts";

test("compareVersions sorts stable before beta before alpha, higher versions first, others by name", () => {
  const sorted = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"];
  expect([...sorted].reverse().sort(compareVersions)).toEqual(sorted);
});
