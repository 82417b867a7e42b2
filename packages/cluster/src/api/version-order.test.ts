import { expect, test } from "vitest";
import { compareVersions } from "./version-order.ts";

test("stable before beta before alpha, the higher first, the rest by name", () => {
  const wanted = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"];
  expect([...wanted].reverse().sort(compareVersions)).toEqual(wanted);
});
