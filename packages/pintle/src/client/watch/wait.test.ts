import { describe, expect, it } from "vitest";
import { defineKind, type Kind } from "../../kinds/index.ts";
import { createClient } from "../create-client.ts";
import { ConnectionError, Forbidden, Timeout } from "../errors/request-errors.ts";
import type { Transport, TransportRequest } from "../transport.ts";
import type { DynamicObject } from "../verbs/objects.ts";

interface BoxKind extends Kind<"x.io/v1/Box", DynamicObject, never, "Namespaced"> {}
const Box = defineKind("x.io/v1/Box", "boxes", "Namespaced") as unknown as BoxKind;
const ref = { name: "b", namespace: "a" };
const box = (resourceVersion: string, ready: boolean, uid = "u") => ({
  apiVersion: "x.io/v1",
  kind: "Box",
  metadata: { name: "b", namespace: "a", resourceVersion, uid, creationTimestamp: "" },
  status: { ready },
});
const isReady = (object: DynamicObject) => (object["status"] as { ready: boolean }).ready;

type ScriptedWatchResponse = readonly unknown[] | "lost" | "silent" | { readonly code: number; readonly reason: string };

/** Responds to lists and watches in order. Sleeping takes no time and is recorded. */
function scriptedClient(steps: readonly ScriptedWatchResponse[]) {
  const requests: TransportRequest[] = [];
  const slept: number[] = [];
  let expire: (() => void) | undefined;
  const transport: Transport = {
    async request(request) {
      const step = steps[requests.length];
      requests.push(request);
      if (step === undefined) throw new Error(`unexpected request ${request.method} ${request.path}`);
      if (step === "lost") throw new ConnectionError({ message: "lost", request: "r" }, true);
      const failed = typeof step === "object" && "code" in step ? step : undefined;
      return {
        status: failed?.code ?? 200,
        headers: {},
        json: async () =>
          failed === undefined
            ? { metadata: { resourceVersion: "5" }, items: step }
            : { kind: "Status", apiVersion: "v1", message: "m", ...failed },
        async *lines() {
          if (step === "silent")
            await new Promise((_, reject) => request.signal?.addEventListener("abort", () => reject(request.signal?.reason)));
          else yield* step as unknown[];
        },
        async *bytes() {},
      };
    },
    async close() {},
  };
  const clock = {
    now: () => 0,
    sleep: (ms: number, signal?: AbortSignal) => {
      slept.push(ms);
      // Only the timeout of a wait really sleeps, until a test ends it.
      return ms < 10_000
        ? Promise.resolve()
        : new Promise<void>((resolve, reject) => {
            expire = resolve;
            signal?.addEventListener("abort", () => reject(signal.reason));
          });
    },
  };
  return { client: createClient(transport, { clock, random: () => 0 }), requests: requests, slept, expire: () => expire?.() };
}

describe("waitFor", () => {
  it("resolves at once when the predicate holds", async () => {
    const { client, requests } = scriptedClient([[box("4", true)]]);
    expect(await client.waitFor(Box, ref, isReady)).toMatchObject({ metadata: { resourceVersion: "4" } });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ path: "/apis/x.io/v1/namespaces/a/boxes", query: { fieldSelector: "metadata.name=b" } });
  });

  it("watches from the version of the list, across bookmarks, ends and failures of the watch", async () => {
    const bookmark = { type: "BOOKMARK", object: { metadata: { resourceVersion: "8" } } };
    const { client, requests } = scriptedClient([
      [],
      [{ type: "ADDED", object: box("6", false) }, bookmark],
      "lost",
      [{ type: "MODIFIED", object: box("9", true) }],
    ]);
    expect(await client.waitFor(Box, ref, isReady)).toMatchObject({ metadata: { resourceVersion: "9" } });
    expect(requests.map((request) => request.query?.["resourceVersion"])).toEqual([undefined, "5", "8", "8"]);
  });

  it("lists again when the resourceVersion has expired", async () => {
    const expired = { type: "ERROR", object: { kind: "Status", apiVersion: "v1", code: 410, reason: "Expired" } };
    const { client, requests } = scriptedClient([[box("3", false)], [expired], [box("20", true)]]);
    await client.waitFor(Box, ref, isReady);
    expect(requests.map((request) => request.query?.["watch"])).toEqual([undefined, "true", undefined]);
  });

  it("throws Forbidden without a retry", async () => {
    const { client } = scriptedClient([{ code: 403, reason: "Forbidden" }]);
    await expect(client.waitFor(Box, ref, isReady)).rejects.toThrow(Forbidden);
  });

  it("retries with exponential backoff while the server is not reachable", async () => {
    const { client, slept } = scriptedClient(["lost", "lost", "lost", [box("1", true)]]);
    await client.waitFor(Box, ref, isReady);
    expect(slept).toEqual([200, 400, 800]);
  });

  it("throws Timeout with the last observed version", async () => {
    const { client, expire } = scriptedClient([[box("3", false)], "silent"]);
    const waited = client.waitFor(Box, ref, isReady, { timeout: 10_000 });
    await new Promise(setImmediate);
    expire();
    await expect(waited).rejects.toThrow(Timeout);
    await expect(waited).rejects.toThrow(
      "Box a/b: timed out after 10000 ms waiting for the condition; it was last seen at resourceVersion 3",
    );
  });

  it("rejects with the reason of the signal", async () => {
    const { client } = scriptedClient([[box("3", false)], "silent"]);
    const controller = new AbortController();
    const waited = client.waitFor(Box, ref, isReady, { signal: controller.signal });
    await new Promise(setImmediate);
    controller.abort(new Error("enough"));
    await expect(waited).rejects.toThrow("enough");
  });
});

describe("waitForDeletion", () => {
  it("resolves when the object is deleted", async () => {
    await scriptedClient([[]]).client.waitForDeletion(Box, ref);
    await scriptedClient([[box("3", true)], [{ type: "DELETED", object: box("6", true) }]]).client.waitForDeletion(Box, ref);
  });

  it("with a uid, resolves also when another object has the name", async () => {
    await scriptedClient([[box("3", true, "other")]]).client.waitForDeletion(Box, ref, { uid: "u" });
  });
});
