import { DEFAULTS } from "pintle/internal/manager";
import { expect, test } from "vitest";
import { HEALTH_PORT } from "./context.ts";

test("the health port of manifests is the default of run()", () => {
  expect(`:${HEALTH_PORT}`).toBe(DEFAULTS.healthAddress);
});
