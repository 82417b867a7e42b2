import { expect, test } from "vitest";
import { type Cache, landing } from "../cache/index.ts";
import { clientOver, type Transport, type TransportRequest } from "../client/index.ts";
import { Pod } from "../kinds/generated/core/v1.ts";
import type { Tools } from "./carry-out.ts";
import { NotLeading } from "./not-leading.ts";
import { planClient } from "./plan-client.ts";

const at = { name: "a", namespace: "d" };
const body = { metadata: at } as never;
const CALLS: Readonly<Record<string, (client: Tools["client"]) => Promise<unknown>>> = {
  apply: (client) => client.apply(Pod, body),
  delete: (client) => client.delete(Pod, at),
  find: (client) => client.find(Pod, at),
  "status.apply": (client) => client.status.apply(Pod, body),
};
const WRITES = Object.keys(CALLS).filter((verb) => verb !== "find");

function setup(gate = () => {}) {
  const asked: TransportRequest[] = [];
  const transport: Transport = {
    request: (request) => {
      asked.push(request);
      return new Promise((_, reject) => request.signal?.addEventListener("abort", () => reject(request.signal!.reason), { once: true }));
    },
    async close() {},
  };
  const abort = new AbortController();
  const cache = { known: () => undefined } as unknown as Cache;
  const client = planClient(clientOver(transport), landing(cache), { signal: abort.signal, fieldManager: "op", gate });
  return { asked, abort, client };
}

test.for(Object.keys(CALLS))("%s of a plan ends with its run", async (verb) => {
  const { asked, abort, client } = setup();
  const call = CALLS[verb]!(client);
  call.catch(() => {});
  await new Promise((turn) => setImmediate(turn));
  expect(asked).toHaveLength(1);
  abort.abort(new Error("not done after 10 s"));
  await expect(call).rejects.toThrow("not done after 10 s");
});

test.for(WRITES)("%s of a plan is not sent without the lease, also when that is lost on the way to the socket", async (verb) => {
  let leads = false;
  const gate = () => {
    if (!leads) throw new NotLeading("not ours");
  };
  const { asked, client, abort } = setup(gate);
  await expect((async () => CALLS[verb]!(client))()).rejects.toThrow(NotLeading);
  expect(asked).toHaveLength(0);

  leads = true;
  const call = CALLS[verb]!(client);
  call.catch(() => {});
  await new Promise((turn) => setImmediate(turn));
  leads = false;
  expect(asked[0]?.permit).toThrow(NotLeading);
  if (verb !== "delete") expect(asked[0]?.query?.["fieldManager"]).toBe("op");
  abort.abort();
});
