import { expect, test } from "vitest";
import { type Cache, createWriteThroughVerbs } from "../../cache/index.ts";
import { createClient, type Transport, type TransportRequest } from "../../client/index.ts";
import { Pod } from "../../kinds/generated/core/v1.ts";
import { NotLeading } from "../errors.ts";
import type { ExecutePlanDeps } from "./execute-plan.ts";
import { createPlanClient } from "./plan-client.ts";

const at = { name: "a", namespace: "d" };
const body = { metadata: at } as never;
const CALLS: Readonly<Record<string, (client: ExecutePlanDeps["client"]) => Promise<unknown>>> = {
  apply: (client) => client.apply(Pod, body),
  delete: (client) => client.delete(Pod, at),
  find: (client) => client.find(Pod, at),
  "status.apply": (client) => client.status.apply(Pod, body),
};
const WRITES = Object.keys(CALLS).filter((verb) => verb !== "find");

function setup(writeGate = () => {}) {
  const requests: TransportRequest[] = [];
  const transport: Transport = {
    request: (request) => {
      requests.push(request);
      return new Promise((_, reject) => request.signal?.addEventListener("abort", () => reject(request.signal!.reason), { once: true }));
    },
    async close() {},
  };
  const abort = new AbortController();
  const cache = { getVersion: () => undefined } as unknown as Cache;
  const client = createPlanClient(createClient(transport), createWriteThroughVerbs(cache), {
    getSignal: () => abort.signal,
    fieldManager: "op",
    writeGate,
  });
  return { requests, abort, client };
}

test.for(Object.keys(CALLS))("%s of a plan is aborted with its reconcile pass", async (verb) => {
  const { requests, abort, client } = setup();
  const call = CALLS[verb]!(client);
  call.catch(() => {});
  await new Promise((turn) => setImmediate(turn));
  expect(requests).toHaveLength(1);
  abort.abort(new Error("not done after 10 s"));
  await expect(call).rejects.toThrow("not done after 10 s");
});

test.for(WRITES)(
  "%s of a plan is not sent without the lease, also when the lease is lost before the request reaches the socket",
  async (verb) => {
    let leads = false;
    const gate = () => {
      if (!leads) throw new NotLeading("not ours");
    };
    const { requests, client, abort } = setup(gate);
    await expect((async () => CALLS[verb]!(client))()).rejects.toThrow(NotLeading);
    expect(requests).toHaveLength(0);

    leads = true;
    const call = CALLS[verb]!(client);
    call.catch(() => {});
    await new Promise((turn) => setImmediate(turn));
    leads = false;
    expect(requests[0]?.permit).toThrow(NotLeading);
    if (verb !== "delete") expect(requests[0]?.query?.["fieldManager"]).toBe("op");
    abort.abort();
  },
);
