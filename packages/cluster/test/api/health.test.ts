import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { createMemoryStore, StoreError } from "../../src/store/index.ts";
import { startTestApiServer, type TestApiServer } from "./harness.ts";

let api: TestApiServer;
afterEach(() => api[Symbol.asyncDispose]());

const get = async (path: string, query = {}) => {
  const response = await api.cluster.transport.request({ method: "GET", path, query });
  return [response.status, await text(response.bytes())];
};

test("/readyz, /livez and /healthz return 500 with the name of the check while the store fails, and recover with it", async () => {
  const store = createMemoryStore();
  let failure: StoreError | undefined;
  api = await startTestApiServer({
    store: {
      ...store,
      async checkHealth() {
        if (failure !== undefined) throw failure;
      },
    },
  });
  expect(await get("/readyz")).toEqual([200, "ok"]);

  failure = new StoreError("PINTLE6520", "etcd is gone");
  const failed = "[+]ping ok\n[+]log ok\n[-]etcd failed: reason withheld\n";
  expect(await get("/healthz")).toEqual([500, `${failed}healthz check failed\n`]);
  expect(await get("/livez")).toEqual([500, `${failed}livez check failed\n`]);
  expect(await get("/readyz")).toEqual([
    500,
    `${failed}[-]etcd-readiness failed: reason withheld\n[+]informer-sync ok\n[+]shutdown ok\nreadyz check failed\n`,
  ]);
  expect(await get("/readyz/etcd")).toEqual([500, "internal server error: etcd is gone\n"]);
  expect(await get("/readyz/ping")).toEqual([200, "ok"]);
  expect(await get("/livez", { exclude: "etcd" })).toEqual([200, "ok"]);
  expect(await get("/livez", { exclude: "etcd", verbose: "" })).toEqual([
    200,
    "[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\nlivez check passed\n",
  ]);

  failure = undefined;
  expect(await get("/readyz")).toEqual([200, "ok"]);
});

test("/livez?verbose warns of an excluded check that does not exist", async () => {
  api = await startTestApiServer();
  const warning = 'warn: some health checks cannot be excluded: no matches for "nothing"\n';
  expect(await get("/livez", { exclude: "nothing", verbose: "" })).toEqual([
    200,
    `[+]ping ok\n[+]log ok\n[+]etcd ok\n${warning}livez check passed\n`,
  ]);
});
