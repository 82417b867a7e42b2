import { type Client, Expired } from "pintle/client";
import { expect, test } from "vitest";
import { createStoredObjectReader } from "../../src/index.ts";

const DEFINITION = { spec: { group: "example.com", names: { kind: "Shop" } } };

test("reads pages of 500, and continues with the latest objects when the list expires", async () => {
  const requests: unknown[] = [];
  const client = {
    discoverKind: async (apiVersion: string, kind: string) => ({ apiVersion, kind }),
    list: async (_: unknown, { limit, continue: token }: { limit: number; continue?: string }) => {
      requests.push([limit, token]);
      if (token === "old") {
        throw new Expired({
          code: 410,
          message: "the provided continue parameter is too old",
          status: { metadata: { continue: "fresh" } },
        } as never);
      }
      if (token === "fresh") return { metadata: { resourceVersion: "9" }, items: [{ metadata: { name: "b" } }] };
      return { metadata: { resourceVersion: "1", continue: "old", remainingItemCount: 1 }, items: [{ metadata: { name: "a" } }] };
    },
  };
  const read = createStoredObjectReader(client as unknown as Client, DEFINITION);
  expect(await read("v1", undefined)).toEqual({ items: [{ metadata: { name: "a" } }], continue: "old", remaining: 1 });
  expect(await read("v1", "old")).toEqual({ items: [{ metadata: { name: "b" } }], continue: undefined, remaining: undefined });
  expect(requests).toEqual([
    [500, undefined],
    [500, "old"],
    [500, "fresh"],
  ]);
});
