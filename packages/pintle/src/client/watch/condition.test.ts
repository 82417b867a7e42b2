import { expect, it } from "vitest";
import { hasCondition } from "./wait.ts";

it.each([
  [{}, false],
  [{ status: {} }, false],
  [{ status: { conditions: [{ type: "Other", status: "True" }] } }, false],
  [{ status: { conditions: [{ type: "Ready", status: "False" }] } }, false],
  [{ status: { conditions: [{ type: "Ready", status: "True" }] } }, true],
])("hasCondition(Ready) of %j is %s", (object, expected) => {
  expect(hasCondition("Ready")(object)).toBe(expected);
});
