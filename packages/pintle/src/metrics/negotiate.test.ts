import { expect, test } from "vitest";
import { negotiateFormat, TEXT_FORMAT } from "./negotiate.ts";

const OPEN = { type: "application/openmetrics-text; version=1.0.0; charset=utf-8", isOpenMetrics: true };
const PROMETHEUS_3 =
  "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";

test.each([
  [undefined, TEXT_FORMAT],
  ["", TEXT_FORMAT],
  ["*/*", TEXT_FORMAT],
  ["text/html, application/xml;q=0.9, */*;q=0.8", TEXT_FORMAT],
  ["application/openmetrics-text", OPEN],
  ['Application/OpenMetrics-Text; Version="1.0.0"', OPEN],
  [PROMETHEUS_3, OPEN],
  ["application/openmetrics-text;version=0.0.1,text/plain;version=0.0.4;q=0.5", { ...OPEN, type: OPEN.type.replace("1.0.0", "0.0.1") }],
  ["application/openmetrics-text;version=9.9.9", TEXT_FORMAT],
  ["application/openmetrics-text;q=0.3,text/plain;version=0.0.4;q=0.9", TEXT_FORMAT],
  ["application/openmetrics-text;q=0", TEXT_FORMAT],
  ["application/openmetrics-text;q=none", TEXT_FORMAT],
])("Accept: %s", (accept, format) => {
  expect(negotiateFormat(accept)).toEqual(format);
});
