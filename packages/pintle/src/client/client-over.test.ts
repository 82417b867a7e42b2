import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Kind, kind, meta } from "../kinds/index.ts";
import { clientOver } from "./client-over.ts";
import { Conflict, Expired, NotFound, SchemaMismatch, ServerError } from "./errors.ts";
import type { DynamicObject } from "./objects.ts";
import type { Transport, TransportRequest } from "./transport.ts";

interface BoxKind
  extends Kind<"x.io/v1/Box", DynamicObject, { readonly metadata: { readonly name: string }; readonly spec?: object }, "Namespaced"> {}
const Box = kind("x.io/v1/Box", "boxes", "Namespaced") as unknown as BoxKind;
interface PodKind extends Kind<"v1/Pod", DynamicObject, { readonly metadata: { readonly name: string } }, "Namespaced"> {}
const Pod = kind("v1/Pod", "pods", "Namespaced") as unknown as PodKind;
interface AccountKind extends Kind<"v1/ServiceAccount", DynamicObject, never, "Namespaced"> {}
const Account = kind("v1/ServiceAccount", "serviceaccounts", "Namespaced") as unknown as AccountKind;

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}

/** Answers in this process, with frozen objects, and keeps what it was asked. */
function inProcess(answers: (request: TransportRequest, n: number) => unknown, status = 200) {
  const asked: TransportRequest[] = [];
  const transport: Transport = {
    async request(request) {
      const body = frozen(answers(request, asked.length));
      asked.push(frozen(request));
      return {
        status,
        headers: { "content-type": "application/json" },
        json: async () => body,
        async *lines() {
          yield* body as unknown[];
        },
        async *bytes() {
          yield Buffer.from(String(body));
        },
      };
    },
    async close() {},
  };
  return { client: clientOver(transport, { random: () => 0 }), asked };
}
const box = (name: string, more: object = {}) => ({
  apiVersion: "x.io/v1",
  kind: "Box",
  metadata: { name, namespace: "a", resourceVersion: "7", uid: "u" },
  ...more,
});
const ref = { name: "b", namespace: "a" };
const json = "application/json";

describe("requests", () => {
  const body = { metadata: { name: "b", namespace: "a" }, spec: {} };
  const whole = { apiVersion: "x.io/v1", kind: "Box", ...body };
  const at = "/apis/x.io/v1/namespaces/a/boxes/b";

  it.each<[string, (client: ReturnType<typeof clientOver>) => Promise<unknown>, Partial<TransportRequest> & { type?: string }]>([
    ["get", (c) => c.get(Box, ref), { method: "GET", path: at }],
    ["get of any version", (c) => c.get(Box, ref, { resourceVersion: "0" }), { method: "GET", path: at, query: { resourceVersion: "0" } }],
    [
      "create",
      (c) => c.create(Box, body),
      { method: "POST", path: "/apis/x.io/v1/namespaces/a/boxes", query: { fieldManager: "pintle" }, body: whole, type: json },
    ],
    [
      "create, strictly and dry",
      (c) => c.create(Box, body, { dryRun: true, fieldValidation: "Strict", fieldManager: "me" }),
      { method: "POST", query: { fieldManager: "me", dryRun: "All", fieldValidation: "Strict" } },
    ],
    ["replace", (c) => c.replace(Box, body), { method: "PUT", path: at, body: whole, type: json }],
    [
      "merge patch",
      (c) => c.patch(Box, ref, { merge: { spec: null } }),
      { method: "PATCH", path: at, body: { spec: null }, type: "application/merge-patch+json" },
    ],
    ["strategic patch", (c) => c.patch(Box, ref, { strategic: {} }), { method: "PATCH", type: "application/strategic-merge-patch+json" }],
    [
      "JSON patch",
      (c) => c.patch(Box, ref, { json: [{ op: "remove", path: "/spec" }] }),
      { method: "PATCH", body: [{ op: "remove", path: "/spec" }], type: "application/json-patch+json" },
    ],
    [
      "apply",
      (c) => c.apply(Box, body),
      { method: "PATCH", path: at, body: whole, query: { fieldManager: "pintle", force: undefined }, type: "application/apply-patch+yaml" },
    ],
    ["apply with force", (c) => c.apply(Box, body, { force: true }), { query: { fieldManager: "pintle", force: "true" } }],
    ["delete", (c) => c.delete(Box, ref), { method: "DELETE", path: at, body: undefined }],
    [
      "delete with conditions",
      (c) => c.delete(Box, ref, { propagation: "Foreground", uid: "u", resourceVersion: "7", gracePeriodSeconds: 0, dryRun: true }),
      {
        body: {
          apiVersion: "v1",
          kind: "DeleteOptions",
          propagationPolicy: "Foreground",
          gracePeriodSeconds: 0,
          preconditions: { uid: "u", resourceVersion: "7" },
          dryRun: ["All"],
        },
      },
    ],
    [
      "deleteCollection",
      (c) => c.deleteCollection(Box, { namespace: "a", labels: { a: "b", c: "d" }, fields: "metadata.name!=x" }),
      {
        method: "DELETE",
        path: "/apis/x.io/v1/namespaces/a/boxes",
        query: { labelSelector: "a=b,c=d", fieldSelector: "metadata.name!=x" },
      },
    ],
    ["status get", (c) => c.status.get(Box, ref), { method: "GET", path: `${at}/status` }],
    ["status replace", (c) => c.status.replace(Box, { ...body, status: {} }), { method: "PUT", path: `${at}/status` }],
    ["status patch", (c) => c.status.patch(Box, ref, { merge: {} }), { method: "PATCH", path: `${at}/status` }],
    [
      "status apply",
      (c) => c.status.apply(Box, { ...body, status: {} }),
      { method: "PATCH", path: `${at}/status`, type: "application/apply-patch+yaml" },
    ],
    ["scale get", (c) => c.scale.get(Box, ref), { method: "GET", path: `${at}/scale` }],
    ["scale patch", (c) => c.scale.patch(Box, ref, { merge: { spec: { replicas: 2 } } }), { method: "PATCH", path: `${at}/scale` }],
    ["another subresource", (c) => c.subresource("approval").replace(Box, ref, body), { method: "PUT", path: `${at}/approval`, body }],
    [
      "evict",
      (c) => c.evict(Pod, ref, { uid: "u", gracePeriodSeconds: 5, dryRun: true }),
      {
        method: "POST",
        path: "/api/v1/namespaces/a/pods/b/eviction",
        query: { dryRun: "All", fieldManager: "pintle" },
        body: {
          apiVersion: "policy/v1",
          kind: "Eviction",
          metadata: ref,
          deleteOptions: { gracePeriodSeconds: 5, preconditions: { uid: "u" }, dryRun: ["All"] },
        },
      },
    ],
    [
      "bind",
      (c) => c.bind(Pod, ref, "n"),
      {
        method: "POST",
        path: "/api/v1/namespaces/a/pods/b/binding",
        body: { apiVersion: "v1", kind: "Binding", metadata: ref, target: { apiVersion: "v1", kind: "Node", name: "n" } },
      },
    ],
  ])("%s", async (_, call, { type, ...expected }) => {
    const { client, asked } = inProcess(() => box("b"));
    await call(client);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject(expected);
    expect(asked[0]?.headers?.["accept"]).toBe(json);
    if (type !== undefined) expect(asked[0]?.headers?.["content-type"]).toBe(type);
    if (expected.query !== undefined) expect(asked[0]?.query).toEqual(expected.query);
  });

  it("logs", async () => {
    const { client, asked } = inProcess(() => "line");
    const chunks: string[] = [];
    for await (const chunk of client.logs(Pod, ref, { container: "c", follow: true, tailLines: 3 }))
      chunks.push(Buffer.from(chunk).toString());
    expect(chunks).toEqual(["line"]);
    expect(asked[0]).toMatchObject({ path: "/api/v1/namespaces/a/pods/b/log", query: { container: "c", follow: "true", tailLines: "3" } });
    expect(asked[0]?.stream).toBeDefined();
  });

  it("token", async () => {
    const { client, asked } = inProcess(() => ({ status: { token: "t", expirationTimestamp: "2026" } }));
    expect(await client.token(Account, ref, { audiences: ["x"], expirationSeconds: 600 })).toEqual({
      token: "t",
      expirationTimestamp: "2026",
    });
    expect(asked[0]).toMatchObject({
      path: "/api/v1/namespaces/a/serviceaccounts/b/token",
      body: { spec: { audiences: ["x"], expirationSeconds: 600 } },
    });
  });

  it("refuses to create without a namespace, and to delete a collection everywhere", async () => {
    const { client, asked } = inProcess(() => box("b"));
    await expect(client.create(Box, { metadata: { name: "b" } } as never)).rejects.toThrow('Box "b": metadata.namespace is missing');
    await expect(client.deleteCollection(Box, {} as never)).rejects.toThrow("deleteCollection of Box: say in which namespace");
    expect(asked).toHaveLength(0);
  });
});

describe("answers", () => {
  it("are passed on as they are", async () => {
    const answer = box("b", { spec: { big: 9223372036854775807n } });
    const { client } = inProcess(() => answer);
    expect(await client.get(Box, ref)).toBe(answer);
  });

  it("of lists say their kind, copied only where the server left it out", async () => {
    const full = box("b");
    const full_list = inProcess(() => ({ metadata: { resourceVersion: "1" }, items: [full] }));
    expect((await full_list.client.list(Box)).items[0]).toBe(full);
    const bare = { metadata: full.metadata };
    const bare_list = inProcess(() => ({ metadata: { resourceVersion: "1" }, items: [bare] }));
    expect((await bare_list.client.list(Box)).items).toEqual([full]);
    const none = inProcess(() => ({ metadata: { resourceVersion: "1" }, items: null }));
    expect((await none.client.list(Box)).items).toEqual([]);
  });

  it("of deletions are the object, or nothing", async () => {
    expect(await inProcess(() => box("b")).client.delete(Box, ref)).toEqual(box("b"));
    expect(await inProcess(() => ({ kind: "Status", apiVersion: "v1", status: "Success" })).client.delete(Box, ref)).toBeUndefined();
  });

  it("about metadata only are asked for and given as such", async () => {
    const cut = { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: box("b").metadata };
    const one = inProcess(() => cut);
    const expected = { apiVersion: "x.io/v1", kind: "Box", metadata: cut.metadata };
    expect(await one.client.get(meta(Box), ref)).toEqual(expected);
    expect(one.asked[0]?.headers?.["accept"]).toBe("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
    const many = inProcess(() => ({ metadata: { resourceVersion: "1" }, items: [cut] }));
    expect((await many.client.list(meta(Box))).items).toEqual([expected]);
    expect(many.asked[0]?.headers?.["accept"]).toBe("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json");
    const watched = inProcess(() => [{ type: "ADDED", object: cut }]);
    expect((await watched.client.watch(meta(Box)).next()).value).toEqual({ type: "ADDED", object: expected });
    expect(watched.asked[0]?.headers?.["accept"]).toBe(one.asked[0]?.headers?.["accept"]);
    const whole = inProcess(() => box("b", { spec: {} }));
    expect(await whole.client.get(meta(Box), ref)).toEqual(expected);
  });
});

describe("find", () => {
  const missing = (details: object) => ({ kind: "Status", apiVersion: "v1", reason: "NotFound", code: 404, message: "m", details });
  it("gives undefined for a missing object, but not for a missing kind", async () => {
    expect(await inProcess(() => missing({ name: "b", kind: "boxes" }), 404).client.find(Box, ref)).toBeUndefined();
    await expect(inProcess(() => missing({}), 404).client.find(Box, ref)).rejects.toThrow(NotFound);
    await expect(inProcess(() => missing({ name: "b" }), 404).client.get(Box, ref)).rejects.toThrow(NotFound);
  });
});

describe("pages", () => {
  it("follow the token; only the first says a version", async () => {
    const { client, asked } = inProcess((_, n) => ({
      metadata: { resourceVersion: "5", continue: n < 2 ? `t${n}` : "" },
      items: [box(`b${n}`)],
    }));
    const names: string[] = [];
    for await (const page of client.pages(Box, { namespace: "a", labels: "x", size: 1, resourceVersion: "0" }))
      names.push(...page.items.map((one) => one.metadata.name));
    expect(names).toEqual(["b0", "b1", "b2"]);
    expect(asked.map((one) => one.query)).toEqual([
      { labelSelector: "x", limit: "1", resourceVersion: "0" },
      { labelSelector: "x", limit: "1", continue: "t0" },
      { labelSelector: "x", limit: "1", continue: "t1" },
    ]);
  });
});

describe("watch", () => {
  const all = async (events: readonly unknown[], options = {}) => {
    const { client, asked } = inProcess(() => events);
    const seen: unknown[] = [];
    for await (const event of client.watch(Box, options)) seen.push(event);
    return { seen, asked };
  };

  it("gives events and bookmarks until the server ends it", async () => {
    const bookmark = { type: "BOOKMARK", object: { kind: "Box", apiVersion: "x.io/v1", metadata: { resourceVersion: "9" } } };
    const events = [{ type: "ADDED", object: box("b") }, bookmark, { type: "DELETED", object: box("b") }];
    const { seen, asked } = await all(events, { namespace: "a", resourceVersion: "5", fields: { "metadata.name": "b" } });
    expect(seen).toEqual(events);
    expect(asked[0]).toMatchObject({ method: "GET", path: "/apis/x.io/v1/namespaces/a/boxes", stream: { silence: 150_000 } });
    expect(asked[0]?.query).toEqual({
      watch: "true",
      timeoutSeconds: "300",
      allowWatchBookmarks: "true",
      resourceVersion: "5",
      fieldSelector: "metadata.name=b",
    });
  });

  it("asks for the initial state, and waits no longer than the server", async () => {
    const { asked } = await all([], { sendInitialEvents: true, timeoutSeconds: 10, bookmarks: false });
    expect(asked[0]?.query).toEqual({
      watch: "true",
      timeoutSeconds: "10",
      sendInitialEvents: "true",
      resourceVersionMatch: "NotOlderThan",
    });
    expect(asked[0]?.stream).toEqual({ silence: 25_000 });
  });

  it("throws what an ERROR event says", async () => {
    const status = { kind: "Status", apiVersion: "v1", reason: "Expired", code: 410, message: "too old resource version: 1 (9)" };
    await expect(all([{ type: "ERROR", object: status }])).rejects.toThrow(Expired);
    await expect(all([{ type: "ERROR", object: { ...status, reason: "InternalError", code: 500 } }])).rejects.toThrow(ServerError);
    await expect(all([{ type: "WEIRD", object: {} }])).rejects.toThrow(/an event of type "WEIRD", which is none/);
  });
});

describe("kind", () => {
  const documents: Record<string, unknown> = {
    "/apis": { groups: [{ versions: [{ groupVersion: "x.io/v1" }, { groupVersion: "x.io/v2" }] }] },
    "/api/v1": { resources: [{ name: "nodes", kind: "Node", namespaced: false, verbs: ["get"] }] },
    "/apis/x.io/v1": {
      resources: [
        { name: "boxes", kind: "Box", namespaced: true, verbs: ["get", "list"] },
        { name: "boxes/status", kind: "Box", namespaced: true, verbs: ["patch"] },
        { name: "boxes/scale", kind: "Scale", namespaced: true, verbs: ["get"] },
      ],
    },
    "/apis/x.io/v2": { resources: [{ name: "boxes", kind: "Box", namespaced: true, verbs: ["get"] }] },
  };

  it("is found by discovery, once", async () => {
    const { client, asked } = inProcess((request) => documents[request.path] ?? box("b"));
    const found = await client.kind("x.io/v1", "Box");
    expect(found).toMatchObject({
      id: "x.io/v1/Box",
      plural: "boxes",
      scope: "Namespaced",
      subresources: ["status", "scale"],
      verbs: ["get", "list"],
    });
    expect(await client.kind("x.io/v1", "Box")).toBe(found);
    expect(asked).toHaveLength(1);
    expect(await client.get(found, ref)).toEqual(box("b"));
  });

  it("is asked for again when it is missing", async () => {
    let served: unknown = { resources: [] };
    const { client, asked } = inProcess(() => served);
    await expect(client.kind("x.io/v1", "Box")).rejects.toThrow("x.io/v1 has no kind Box: is its CustomResourceDefinition installed");
    served = documents["/apis/x.io/v1"];
    expect((await client.kind("x.io/v1", "Box")).plural).toBe("boxes");
    expect(asked).toHaveLength(2);
  });

  it("checks what is read against its schema, and changes nothing", async () => {
    const schema = z.object({ spec: z.object({ n: z.int32(), m: z.string().default("x") }) });
    const good = box("b", { spec: { n: 1, unknown: true } });
    const { client } = inProcess((request) => documents[request.path] ?? good);
    expect(await client.get(await client.kind("x.io/v1", "Box", schema), ref)).toBe(good);
    const bad = inProcess((request) => documents[request.path] ?? box("b", { spec: { n: "1" } }));
    const wrong = bad.client.get(await bad.client.kind("x.io/v1", "Box", schema), ref);
    await expect(wrong).rejects.toThrow(SchemaMismatch);
    await expect(wrong).rejects.toThrow(/^Box a\/b does not match the schema given to client.kind\(\): spec\.n: /);
  });

  it("can be all of them", async () => {
    const { client } = inProcess((request) => documents[request.path]);
    expect((await client.kinds()).map((one) => one.id)).toEqual(["v1/Node", "x.io/v1/Box", "x.io/v2/Box"]);
  });
});

it("hands warnings to whoever wants them", async () => {
  const heard: unknown[] = [];
  const transport: Transport = {
    request: async () => ({
      status: 200,
      headers: { warning: '299 - "careful"' },
      json: async () => box("b"),
      lines: async function* () {},
      bytes: async function* () {},
    }),
    close: async () => {},
  };
  await clientOver(transport, { onWarning: (warning) => heard.push(warning) }).get(Box, ref);
  expect(heard).toEqual([{ text: "careful", request: "GET /apis/x.io/v1/namespaces/a/boxes/b" }]);
});

it("a raw request fails as every other does", async () => {
  const { client } = inProcess(() => ({ kind: "Status", apiVersion: "v1", reason: "Conflict", code: 409, message: "m" }), 409);
  await expect(client.request({ method: "PUT", path: "/x" })).rejects.toThrow(Conflict);
});
