import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DESCRIBE, type StartOptions } from "../../src/manager/index.ts";
import { roundTrips } from "../../src/testing/index.ts";
import { Memcached, main, memcachedWebhook } from "./memcached.ts";

const flat = (text: string) => text.replaceAll(/^\s+/gm, "");
const parts = readdirSync(import.meta.dirname).map((name) => flat(readFileSync(join(import.meta.dirname, name), "utf8")));
const guide = readFileSync(join(import.meta.dirname, "../../../../docs/webhooks.md"), "utf8");
const snippets = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text as string);

test.each(snippets.map((text) => ({ first: text.split("\n", 1)[0], text })))(
  "docs/webhooks.md: $first: is a part of a test",
  ({ text }) => {
    expect(parts.some((part) => part.includes(flat(text)))).toBe(true);
  },
);

test("its conversions lose what they say they lose", () => {
  expect(roundTrips(Memcached, { losing: ["v1alpha1 spec.memory"] })).toEqual([]);
});

test("its webhook is what run() would serve, and says what the guide says", async () => {
  let given: StartOptions | undefined;
  const tools = globalThis as { [DESCRIBE]?: (options: StartOptions) => void };
  tools[DESCRIBE] = (options) => {
    given = options;
  };
  try {
    await main();
  } finally {
    Reflect.deleteProperty(tools, DESCRIBE);
  }
  expect(given?.webhooks).toEqual([memcachedWebhook]);
  const object = (size: number, labels = {}) => ({ metadata: { name: "a", labels }, spec: { size, image: "i" } });
  const ask = (request: object) => memcachedWebhook.validate!({ dryRun: false, ...request });
  expect(ask({ operation: "UPDATE", object: object(1), old: object(3) })).toEqual([
    { field: "spec.size", message: "may shrink by one at a time" },
  ]);
  expect(ask({ operation: "CREATE", object: object(1), dryRun: true })).toEqual({ warnings: ["only a dry run"] });
  expect(() => ask({ operation: "DELETE", old: object(1, { keep: "true" }) })).toThrow("a is to be kept");
});
