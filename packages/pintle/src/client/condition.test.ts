import { expect, it } from "vitest";
import { condition } from "./condition.ts";

it.each([
  [{}, false],
  [{ status: {} }, false],
  [{ status: { conditions: [{ type: "Other", status: "True" }] } }, false],
  [{ status: { conditions: [{ type: "Ready", status: "False" }] } }, false],
  [{ status: { conditions: [{ type: "Ready", status: "True" }] } }, true],
])("%j", (object, expected) => {
  expect(condition("Ready")(object)).toBe(expected);
});
