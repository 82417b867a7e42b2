import { expect, test } from "vitest";
import { createClient, type Transport, type TransportRequest } from "../../client/index.ts";
import { Deployment } from "../../kinds/generated/apps/v1.ts";
import { Pod, ServiceAccount } from "../../kinds/generated/core/v1.ts";
import { NotLeading } from "../errors.ts";
import { createBoundClient } from "./bound-client.ts";

const at = { name: "a", namespace: "d" };
const body = { metadata: at } as never;
/** Every verb of the client by name. */
const CALLS: Readonly<Record<string, (client: any) => unknown>> = {
  get: (client) => client.get(Pod, at),
  find: (client) => client.find(Pod, at),
  list: (client) => client.list(Pod),
  listPages: (client) => client.listPages(Pod).next(),
  watch: (client) => client.watch(Pod).next(),
  waitFor: (client) => client.waitFor(Pod, at, () => true),
  waitForDeletion: (client) => client.waitForDeletion(Pod, at),
  logs: (client) => client.logs(Pod, at)[Symbol.asyncIterator]().next(),
  discoverKinds: (client) => client.discoverKinds(),
  create: (client) => client.create(Pod, body),
  replace: (client) => client.replace(Pod, { metadata: { ...at, resourceVersion: "1" } }),
  patch: (client) => client.patch(Pod, at, { merge: {} }),
  apply: (client) => client.apply(Pod, body),
  delete: (client) => client.delete(Pod, at),
  deleteCollection: (client) => client.deleteCollection(Pod, { namespace: "d" }),
  evict: (client) => client.evict(Pod, at),
  bind: (client) => client.bind(Pod, at, "node"),
  createToken: (client) => client.createToken(ServiceAccount, at),
  "status.apply": (client) => client.status.apply(Pod, body),
  "status.patch": (client) => client.status.patch(Pod, at, { merge: {} }),
  "scale.get": (client) => client.scale.get(Deployment, at),
  "scale.patch": (client) => client.scale.patch(Deployment, at, { merge: {} }),
  request: (client) => client.request({ method: "POST", path: "/x" }),
};
const READS = new Set(["get", "find", "list", "listPages", "watch", "waitFor", "waitForDeletion", "logs", "discoverKinds", "scale.get"]);

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
  const client = createBoundClient(createClient(transport, { onWarning: () => {} }), {
    signal: abort.signal,
    fieldManager: "op",
    writeGate,
  });
  return { requests, abort, client };
}

test.for(Object.keys(CALLS))("RT-52 a call is aborted with its reconcile pass: %s", async (verb) => {
  const { requests, abort, client } = setup();
  const call = Promise.resolve(CALLS[verb]!(client));
  call.catch(() => {});
  await new Promise((turn) => setImmediate(turn));
  expect(requests).toHaveLength(1);
  abort.abort(new Error("not done after 10 s"));
  expect(requests[0]!.signal?.aborted).toBe(true);
  await expect(call).rejects.toThrow("not done after 10 s");
});

test.for(Object.keys(CALLS).filter((verb) => !READS.has(verb)))("RT-23 nothing is written without the lease: %s", async (verb) => {
  const { requests, client } = setup(() => {
    throw new NotLeading("not ours");
  });
  await expect((async () => CALLS[verb]!(client))()).rejects.toThrow(NotLeading);
  expect(requests).toHaveLength(0);
});
