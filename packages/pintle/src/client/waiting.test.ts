import { describe, expect, it } from "vitest";
import { type Kind, kind } from "../kinds/index.ts";
import { clientOver } from "./client-over.ts";
import { ConnectionError, Forbidden, Timeout } from "./errors.ts";
import type { DynamicObject } from "./objects.ts";
import type { Transport, TransportRequest } from "./transport.ts";

interface BoxKind extends Kind<"x.io/v1/Box", DynamicObject, never, "Namespaced"> {}
const Box = kind("x.io/v1/Box", "boxes", "Namespaced") as unknown as BoxKind;
const ref = { name: "b", namespace: "a" };
const box = (resourceVersion: string, ready: boolean, uid = "u") => ({
  apiVersion: "x.io/v1",
  kind: "Box",
  metadata: { name: "b", namespace: "a", resourceVersion, uid, creationTimestamp: "" },
  status: { ready },
});
const isReady = (object: DynamicObject) => (object["status"] as { ready: boolean }).ready;

type Step = readonly unknown[] | "lost" | "silent" | { readonly code: number; readonly reason: string };

/** Lists and watches answered in turn. Sleeping takes no time but is remembered. */
function scripted(steps: readonly Step[]) {
  const asked: TransportRequest[] = [];
  const slept: number[] = [];
  let expire: (() => void) | undefined;
  const transport: Transport = {
    async request(request) {
      const step = steps[asked.length];
      asked.push(request);
      if (step === undefined) throw new Error(`nobody expected ${request.method} ${request.path}`);
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
  const timing = {
    now: () => 0,
    sleep: (ms: number, signal?: AbortSignal) => {
      slept.push(ms);
      // The limit of a wait is the only sleep that lasts, until a test lets it end.
      return ms < 10_000
        ? Promise.resolve()
        : new Promise<void>((resolve, reject) => {
            expire = resolve;
            signal?.addEventListener("abort", () => reject(signal.reason));
          });
    },
  };
  return { client: clientOver(transport, { timing, random: () => 0 }), asked, slept, expire: () => expire?.() };
}

describe("wait", () => {
  it("is over at once when the condition holds", async () => {
    const { client, asked } = scripted([[box("4", true)]]);
    expect(await client.wait(Box, ref, isReady)).toMatchObject({ metadata: { resourceVersion: "4" } });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ path: "/apis/x.io/v1/namespaces/a/boxes", query: { fieldSelector: "metadata.name=b" } });
  });

  it("watches from where the list was, through bookmarks, ends and losses", async () => {
    const bookmark = { type: "BOOKMARK", object: { metadata: { resourceVersion: "8" } } };
    const { client, asked } = scripted([
      [],
      [{ type: "ADDED", object: box("6", false) }, bookmark],
      "lost",
      [{ type: "MODIFIED", object: box("9", true) }],
    ]);
    expect(await client.wait(Box, ref, isReady)).toMatchObject({ metadata: { resourceVersion: "9" } });
    expect(asked.map((one) => one.query?.["resourceVersion"])).toEqual([undefined, "5", "8", "8"]);
  });

  it("lists again when its version is too old", async () => {
    const expired = { type: "ERROR", object: { kind: "Status", apiVersion: "v1", code: 410, reason: "Expired" } };
    const { client, asked } = scripted([[box("3", false)], [expired], [box("20", true)]]);
    await client.wait(Box, ref, isReady);
    expect(asked.map((one) => one.query?.["watch"])).toEqual([undefined, "true", undefined]);
  });

  it("does not wait for a permission to appear", async () => {
    const { client } = scripted([{ code: 403, reason: "Forbidden" }]);
    await expect(client.wait(Box, ref, isReady)).rejects.toThrow(Forbidden);
  });

  it("pauses longer and longer while the server is away", async () => {
    const { client, slept } = scripted(["lost", "lost", "lost", [box("1", true)]]);
    await client.wait(Box, ref, isReady);
    expect(slept).toEqual([200, 400, 800]);
  });

  it("says after its time what it saw last", async () => {
    const { client, expire } = scripted([[box("3", false)], "silent"]);
    const waited = client.wait(Box, ref, isReady, { timeout: 10_000 });
    await new Promise(setImmediate);
    expire();
    await expect(waited).rejects.toThrow(Timeout);
    await expect(waited).rejects.toThrow("Box a/b: waited 10000 ms for the condition, in vain; it was last seen at resourceVersion 3");
  });

  it("ends with the signal", async () => {
    const { client } = scripted([[box("3", false)], "silent"]);
    const controller = new AbortController();
    const waited = client.wait(Box, ref, isReady, { signal: controller.signal });
    await new Promise(setImmediate);
    controller.abort(new Error("enough"));
    await expect(waited).rejects.toThrow("enough");
  });
});

describe("waitGone", () => {
  it("is over when the object is gone", async () => {
    await scripted([[]]).client.waitGone(Box, ref);
    await scripted([[box("3", true)], [{ type: "DELETED", object: box("6", true) }]]).client.waitGone(Box, ref);
  });

  it("with a uid also when another one has its name", async () => {
    await scripted([[box("3", true, "other")]]).client.waitGone(Box, ref, { uid: "u" });
  });
});
