import { expect, test } from "vitest";
import { clientOver, type Transport, type TransportRequest } from "../client/index.ts";
import { Deployment } from "../kinds/generated/apps/v1.ts";
import { Pod, ServiceAccount } from "../kinds/generated/core/v1.ts";
import { NotLeading } from "./not-leading.ts";
import { runClient } from "./run-client.ts";

const at = { name: "a", namespace: "d" };
const body = { metadata: at } as never;
/** Every verb there is, by its name in the client. */
const CALLS: Readonly<Record<string, (client: any) => unknown>> = {
  get: (client) => client.get(Pod, at),
  find: (client) => client.find(Pod, at),
  list: (client) => client.list(Pod),
  pages: (client) => client.pages(Pod).next(),
  watch: (client) => client.watch(Pod).next(),
  wait: (client) => client.wait(Pod, at, () => true),
  waitGone: (client) => client.waitGone(Pod, at),
  logs: (client) => client.logs(Pod, at)[Symbol.asyncIterator]().next(),
  kinds: (client) => client.kinds(),
  create: (client) => client.create(Pod, body),
  replace: (client) => client.replace(Pod, { metadata: { ...at, resourceVersion: "1" } }),
  patch: (client) => client.patch(Pod, at, { merge: {} }),
  apply: (client) => client.apply(Pod, body),
  delete: (client) => client.delete(Pod, at),
  deleteCollection: (client) => client.deleteCollection(Pod, { namespace: "d" }),
  evict: (client) => client.evict(Pod, at),
  bind: (client) => client.bind(Pod, at, "node"),
  token: (client) => client.token(ServiceAccount, at),
  "status.apply": (client) => client.status.apply(Pod, body),
  "status.patch": (client) => client.status.patch(Pod, at, { merge: {} }),
  "scale.get": (client) => client.scale.get(Deployment, at),
  "scale.patch": (client) => client.scale.patch(Deployment, at, { merge: {} }),
  request: (client) => client.request({ method: "POST", path: "/x" }),
};
const READS = new Set(["get", "find", "list", "pages", "watch", "wait", "waitGone", "logs", "kinds", "scale.get"]);

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
  const client = runClient(clientOver(transport, { onWarning: () => {} }), { signal: abort.signal, fieldManager: "op", gate });
  return { asked, abort, client };
}

test.for(Object.keys(CALLS))("Node 4 the end of a run ends every call it made: %s", async (verb) => {
  const { asked, abort, client } = setup();
  const call = Promise.resolve(CALLS[verb]!(client));
  call.catch(() => {});
  await new Promise((turn) => setImmediate(turn));
  expect(asked).toHaveLength(1);
  abort.abort(new Error("not done after 10 s"));
  expect(asked[0]!.signal?.aborted).toBe(true);
  await expect(call).rejects.toThrow("not done after 10 s");
});

test.for(Object.keys(CALLS).filter((verb) => !READS.has(verb)))("c-r 7.23 nothing is written without the lease: %s", async (verb) => {
  const { asked, client } = setup(() => {
    throw new NotLeading("not ours");
  });
  await expect((async () => CALLS[verb]!(client))()).rejects.toThrow(NotLeading);
  expect(asked).toHaveLength(0);
});
