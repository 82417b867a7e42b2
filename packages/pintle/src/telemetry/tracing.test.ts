import { afterEach, expect, test } from "vitest";
import { parseTraceparent, traceSpan } from "./tracing.ts";

const API = Symbol.for("opentelemetry.js.api.1");
const slots = globalThis as { [API]?: unknown };
afterEach(() => {
  delete slots[API];
});

test("RT-39 a reconciliation is a span with its reasons, also when it fails; without an SDK there is none", async () => {
  expect(await traceSpan("x", {}, async () => 1)).toBe(1);

  const seen: string[] = [];
  const span = (name: string) => ({
    recordException: (error: Error) => void seen.push(`${name} failed: ${error.message}`),
    setStatus: ({ code }: { code: number }) => void seen.push(`${name} status ${code}`),
    end: () => void seen.push(`${name} end`),
  });
  // The global that registering an SDK sets for every copy of the API in the process.
  slots[API] = {
    version: "1.9.0",
    trace: {
      getTracer: (tracer: string) => ({
        startActiveSpan(name: string, { attributes }: { attributes: object }, work: (made: object) => Promise<unknown>) {
          seen.push(`${tracer} ${name} ${JSON.stringify(attributes)}`);
          return work(span(name));
        },
      }),
    },
  };
  expect(await traceSpan("reconcile", { attributes: { object: "d/a" } }, async () => 7)).toBe(7);
  const failing = traceSpan("finalize", {}, async () => {
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(seen).toEqual([
    'pintle reconcile {"object":"d/a"}',
    "reconcile end",
    "pintle finalize {}",
    "finalize failed: no",
    "finalize status 2",
    "finalize end",
  ]);
});

test("only valid traceparent headers are parsed", () => {
  const [trace, span] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
  expect(parseTraceparent(`00-${trace}-${span}-01`)).toEqual({ traceId: trace, spanId: span, traceFlags: 1 });
  expect(parseTraceparent(`01-${trace}-${span}-00-more`)).toEqual({ traceId: trace, spanId: span, traceFlags: 0 });
  for (const invalid of [
    undefined,
    "",
    ["a"],
    `ff-${trace}-${span}-01`,
    `00-${"0".repeat(32)}-${span}-01`,
    `00-${trace}-${"0".repeat(16)}-01`,
    `00-${trace}-${span}-01x`,
    `00-${trace.toUpperCase()}-${span}-01`,
  ])
    expect(parseTraceparent(invalid)).toBeUndefined();
});
