import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DESCRIBE_HOOK, type ManagerOptions } from "../../src/manager/index.ts";
import { checkRoundTrips } from "../../src/testing/index.ts";
import { Memcached, main, memcachedWebhook } from "./memcached.ts";

const flat = (text: string) => text.replaceAll(/^\s+/gm, "");
const parts = readdirSync(import.meta.dirname).map((name) => flat(readFileSync(join(import.meta.dirname, name), "utf8")));
const guide = readFileSync(join(import.meta.dirname, "../../../../docs/webhooks.md"), "utf8");
const snippets = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text as string);

test.each(snippets.map((text) => ({ first: text.split("\n", 1)[0], text })))(
  "docs/webhooks.md: the snippet $first is part of a tested file",
  ({ text }) => {
    expect(parts.some((part) => part.includes(flat(text)))).toBe(true);
  },
);

test("the conversions lose only the allowed fields", () => {
  expect(checkRoundTrips(Memcached, { allowedLosses: ["v1alpha1 spec.memory"] })).toEqual([]);
});

test("run() serves the webhook of the guide with the documented result", async () => {
  let given: ManagerOptions | undefined;
  const tools = globalThis as { [DESCRIBE_HOOK]?: (options: ManagerOptions) => void };
  tools[DESCRIBE_HOOK] = (options) => {
    given = options;
  };
  try {
    await main();
  } finally {
    Reflect.deleteProperty(tools, DESCRIBE_HOOK);
  }
  expect(given?.webhooks).toEqual([memcachedWebhook]);
  const object = (size: number, labels = {}) => ({ metadata: { name: "a", labels }, spec: { size, image: "i" } });
  const validate = (request: object) => memcachedWebhook.validate!({ dryRun: false, ...request });
  expect(validate({ operation: "UPDATE", object: object(1), old: object(3) })).toEqual([
    { field: "spec.size", message: "may shrink by one at a time" },
  ]);
  expect(validate({ operation: "CREATE", object: object(1), dryRun: true })).toEqual({ warnings: ["only a dry run"] });
  expect(() => validate({ operation: "DELETE", old: object(1, { keep: "true" }) })).toThrow("a is to be kept");
});
