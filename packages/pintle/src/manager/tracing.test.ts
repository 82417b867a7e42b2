import { expect, test } from "vitest";
import { type TracingApi, tracing } from "./tracing.ts";

test("better 6 a run is a span with its reasons, failures included; without the API nothing happens", async () => {
  const seen: string[] = [];
  const span = (name: string) => ({
    recordException: (error: Error) => void seen.push(`${name} failed: ${error.message}`),
    setStatus: ({ code }: { code: number }) => void seen.push(`${name} status ${code}`),
    end: () => void seen.push(`${name} end`),
  });
  const api: TracingApi = {
    trace: {
      getTracer: (tracer) => ({
        startActiveSpan(name, { attributes }, work) {
          seen.push(`${tracer} ${name} ${JSON.stringify(attributes)}`);
          return work(span(name));
        },
      }),
    },
  };
  const trace = await tracing(async () => api);
  expect(await trace("reconcile", { object: "d/a" }, async () => 7)).toBe(7);
  await expect(
    trace("finalize", {}, async () => {
      throw new Error("no");
    }),
  ).rejects.toThrow("no");
  expect(seen).toEqual([
    'pintle reconcile {"object":"d/a"}',
    "reconcile end",
    "pintle finalize {}",
    "finalize failed: no",
    "finalize status 2",
    "finalize end",
  ]);

  const plain = await tracing(async () => {
    throw new Error("not installed");
  });
  expect(await plain("x", {}, async () => 1)).toBe(1);
});
