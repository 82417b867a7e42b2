import { afterEach, expect, test } from "vitest";
import { tracing } from "./tracing.ts";

const API = Symbol.for("opentelemetry.js.api.1");
const slots = globalThis as { [API]?: unknown };
afterEach(() => {
  delete slots[API];
});

test("better 6 a run is a span with its reasons, failures included; without an SDK nothing happens", async () => {
  expect(await tracing("x", {}, async () => 1)).toBe(1);

  const seen: string[] = [];
  const span = (name: string) => ({
    recordException: (error: Error) => void seen.push(`${name} failed: ${error.message}`),
    setStatus: ({ code }: { code: number }) => void seen.push(`${name} status ${code}`),
    end: () => void seen.push(`${name} end`),
  });
  // What registering an SDK leaves for every copy of the API in the process; here after the first use.
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
  expect(await tracing("reconcile", { object: "d/a" }, async () => 7)).toBe(7);
  const failing = tracing("finalize", {}, async () => {
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
