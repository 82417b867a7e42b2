import { test } from "vitest";
import { accepts, refuses, requireRuleCoverage } from "../../../src/vitest/index.ts";
import { Widget } from "./widget.ts";

requireRuleCoverage(Widget);

test("the schema refuses a widget without size, and accepts one with it", () => {
  accepts(Widget, { size: 3 });
  refuses(Widget, {}, "spec.size: Required value");
});
