import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineKind, type Kind, metadataOnly } from "../kinds/index.ts";
import { createClient } from "./create-client.ts";
import { Conflict, Expired, NotFound, SchemaMismatch, ServerError } from "./errors/request-errors.ts";
import type { Transport, TransportRequest } from "./transport.ts";
import type { DynamicObject } from "./verbs/objects.ts";

interface BoxKind
  extends Kind<"x.io/v1/Box", DynamicObject, { readonly metadata: { readonly name: string }; readonly spec?: object }, "Namespaced"> {}
const Box = defineKind("x.io/v1/Box", "boxes", "Namespaced") as unknown as BoxKind;
interface PodKind extends Kind<"v1/Pod", DynamicObject, { readonly metadata: { readonly name: string } }, "Namespaced"> {}
const Pod = defineKind("v1/Pod", "pods", "Namespaced") as unknown as PodKind;
interface AccountKind extends Kind<"v1/ServiceAccount", DynamicObject, never, "Namespaced"> {}
const Account = defineKind("v1/ServiceAccount", "serviceaccounts", "Namespaced") as unknown as AccountKind;

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

/** Returns a client whose transport responds in this process with frozen objects and records the requests. */
function fakeTransportClient(respond: (request: TransportRequest, n: number) => unknown, status = 200) {
  const requests: TransportRequest[] = [];
  const transport: Transport = {
    async request(request) {
      const body = deepFreeze(respond(request, requests.length));
      requests.push(deepFreeze(request));
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
  return { client: createClient(transport, { random: () => 0 }), requests: requests };
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

  it.each<[string, (client: ReturnType<typeof createClient>) => Promise<unknown>, Partial<TransportRequest> & { type?: string }]>([
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
    const { client, requests } = fakeTransportClient(() => box("b"));
    await call(client);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject(expected);
    expect(requests[0]?.headers?.["accept"]).toBe(json);
    if (type !== undefined) expect(requests[0]?.headers?.["content-type"]).toBe(type);
    if (expected.query !== undefined) expect(requests[0]?.query).toEqual(expected.query);
  });

  it("logs sends the options as query parameters and yields the text", async () => {
    const { client, requests } = fakeTransportClient(() => "line");
    const chunks: string[] = [];
    for await (const chunk of client.logs(Pod, ref, { container: "c", follow: true, tailLines: 3 }))
      chunks.push(Buffer.from(chunk).toString());
    expect(chunks).toEqual(["line"]);
    expect(requests[0]).toMatchObject({
      path: "/api/v1/namespaces/a/pods/b/log",
      query: { container: "c", follow: "true", tailLines: "3" },
    });
    expect(requests[0]?.stream).toBeDefined();
  });

  it("createToken posts a TokenRequest to the subresource of the ServiceAccount", async () => {
    const { client, requests } = fakeTransportClient(() => ({ status: { token: "t", expirationTimestamp: "2026" } }));
    expect(await client.createToken(Account, ref, { audiences: ["x"], expirationSeconds: 600 })).toEqual({
      token: "t",
      expirationTimestamp: "2026",
    });
    expect(requests[0]).toMatchObject({
      path: "/api/v1/namespaces/a/serviceaccounts/b/token",
      body: { spec: { audiences: ["x"], expirationSeconds: 600 } },
    });
  });

  it("refuses create and deleteCollection without a namespace", async () => {
    const { client, requests } = fakeTransportClient(() => box("b"));
    await expect(client.create(Box, { metadata: { name: "b" } } as never)).rejects.toThrow('Box "b": metadata.namespace is missing');
    await expect(client.deleteCollection(Box, {} as never)).rejects.toThrow("deleteCollection of Box: namespace is missing");
    expect(requests).toHaveLength(0);
  });
});

describe("responses", () => {
  it("are returned without a copy", async () => {
    const response = box("b", { spec: { big: 9223372036854775807n } });
    const { client } = fakeTransportClient(() => response);
    expect(await client.get(Box, ref)).toBe(response);
  });

  it("of lists have apiVersion and kind in every item, copied only where the server omits them", async () => {
    const full = box("b");
    const full_list = fakeTransportClient(() => ({ metadata: { resourceVersion: "1" }, items: [full] }));
    expect((await full_list.client.list(Box)).items[0]).toBe(full);
    const bare = { metadata: full.metadata };
    const bare_list = fakeTransportClient(() => ({ metadata: { resourceVersion: "1" }, items: [bare] }));
    expect((await bare_list.client.list(Box)).items).toEqual([full]);
    const none = fakeTransportClient(() => ({ metadata: { resourceVersion: "1" }, items: null }));
    expect((await none.client.list(Box)).items).toEqual([]);
  });

  it("of deletions are the object, or undefined for a Status", async () => {
    expect(await fakeTransportClient(() => box("b")).client.delete(Box, ref)).toEqual(box("b"));
    expect(
      await fakeTransportClient(() => ({ kind: "Status", apiVersion: "v1", status: "Success" })).client.delete(Box, ref),
    ).toBeUndefined();
  });

  it("of metadata-only kinds are requested and returned as PartialObjectMetadata", async () => {
    const cut = { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: box("b").metadata };
    const one = fakeTransportClient(() => cut);
    const expected = { apiVersion: "x.io/v1", kind: "Box", metadata: cut.metadata };
    expect(await one.client.get(metadataOnly(Box), ref)).toEqual(expected);
    expect(one.requests[0]?.headers?.["accept"]).toBe("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
    const many = fakeTransportClient(() => ({ metadata: { resourceVersion: "1" }, items: [cut] }));
    expect((await many.client.list(metadataOnly(Box))).items).toEqual([expected]);
    expect(many.requests[0]?.headers?.["accept"]).toBe("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json");
    const watched = fakeTransportClient(() => [{ type: "ADDED", object: cut }]);
    expect((await watched.client.watch(metadataOnly(Box)).next()).value).toEqual({ type: "ADDED", object: expected });
    expect(watched.requests[0]?.headers?.["accept"]).toBe(one.requests[0]?.headers?.["accept"]);
    const whole = fakeTransportClient(() => box("b", { spec: {} }));
    expect(await whole.client.get(metadataOnly(Box), ref)).toEqual(expected);
  });
});

describe("find", () => {
  const missing = (details: object) => ({ kind: "Status", apiVersion: "v1", reason: "NotFound", code: 404, message: "m", details });
  it("returns undefined for a missing object, and throws NotFound for an unserved kind", async () => {
    expect(await fakeTransportClient(() => missing({ name: "b", kind: "boxes" }), 404).client.find(Box, ref)).toBeUndefined();
    await expect(fakeTransportClient(() => missing({}), 404).client.find(Box, ref)).rejects.toThrow(NotFound);
    await expect(fakeTransportClient(() => missing({ name: "b" }), 404).client.get(Box, ref)).rejects.toThrow(NotFound);
  });
});

describe("listPages", () => {
  it("follows the continue token; only the first page has a resourceVersion", async () => {
    const { client, requests } = fakeTransportClient((_, n) => ({
      metadata: { resourceVersion: "5", continue: n < 2 ? `t${n}` : "" },
      items: [box(`b${n}`)],
    }));
    const names: string[] = [];
    for await (const page of client.listPages(Box, { namespace: "a", labels: "x", pageSize: 1, resourceVersion: "0" }))
      names.push(...page.items.map((one) => one.metadata.name));
    expect(names).toEqual(["b0", "b1", "b2"]);
    expect(requests.map((one) => one.query)).toEqual([
      { labelSelector: "x", limit: "1", resourceVersion: "0" },
      { labelSelector: "x", limit: "1", continue: "t0" },
      { labelSelector: "x", limit: "1", continue: "t1" },
    ]);
  });
});

describe("watch", () => {
  const all = async (events: readonly unknown[], options = {}) => {
    const { client, requests } = fakeTransportClient(() => events);
    const seen: unknown[] = [];
    for await (const event of client.watch(Box, options)) seen.push(event);
    return { seen, requests };
  };

  it("yields events and bookmarks until the server ends the watch", async () => {
    const bookmark = { type: "BOOKMARK", object: { kind: "Box", apiVersion: "x.io/v1", metadata: { resourceVersion: "9" } } };
    const events = [{ type: "ADDED", object: box("b") }, bookmark, { type: "DELETED", object: box("b") }];
    const { seen, requests } = await all(events, { namespace: "a", resourceVersion: "5", fields: { "metadata.name": "b" } });
    expect(seen).toEqual(events);
    expect(requests[0]).toMatchObject({ method: "GET", path: "/apis/x.io/v1/namespaces/a/boxes", stream: { idleTimeout: 150_000 } });
    expect(requests[0]?.query).toEqual({
      watch: "true",
      timeoutSeconds: "300",
      allowWatchBookmarks: "true",
      resourceVersion: "5",
      fieldSelector: "metadata.name=b",
    });
  });

  it("requests initial events, and limits the idle time by timeoutSeconds", async () => {
    const { requests } = await all([], { sendInitialEvents: true, timeoutSeconds: 10, bookmarks: false });
    expect(requests[0]?.query).toEqual({
      watch: "true",
      timeoutSeconds: "10",
      sendInitialEvents: "true",
      resourceVersionMatch: "NotOlderThan",
    });
    expect(requests[0]?.stream).toEqual({ idleTimeout: 25_000 });
  });

  it("throws the error of an ERROR event", async () => {
    const status = { kind: "Status", apiVersion: "v1", reason: "Expired", code: 410, message: "too old resource version: 1 (9)" };
    await expect(all([{ type: "ERROR", object: status }])).rejects.toThrow(Expired);
    await expect(all([{ type: "ERROR", object: { ...status, reason: "InternalError", code: 500 } }])).rejects.toThrow(ServerError);
    await expect(all([{ type: "WEIRD", object: {} }])).rejects.toThrow(/an event of the unknown type "WEIRD"/);
  });
});

describe("discoverKind", () => {
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

  it("requests the group-version once", async () => {
    const { client, requests } = fakeTransportClient((request) => documents[request.path] ?? box("b"));
    const found = await client.discoverKind("x.io/v1", "Box");
    expect(found).toMatchObject({
      id: "x.io/v1/Box",
      plural: "boxes",
      scope: "Namespaced",
      subresources: ["status", "scale"],
      verbs: ["get", "list"],
    });
    expect(await client.discoverKind("x.io/v1", "Box")).toBe(found);
    expect(requests).toHaveLength(1);
    expect(await client.get(found, ref)).toEqual(box("b"));
  });

  it("requests the group-version again when the kind is missing", async () => {
    let served: unknown = { resources: [] };
    const { client, requests } = fakeTransportClient(() => served);
    await expect(client.discoverKind("x.io/v1", "Box")).rejects.toThrow(
      "x.io/v1 has no kind Box: is its CustomResourceDefinition installed",
    );
    served = documents["/apis/x.io/v1"];
    expect((await client.discoverKind("x.io/v1", "Box")).plural).toBe("boxes");
    expect(requests).toHaveLength(2);
  });

  it("validates objects against the schema and does not modify them", async () => {
    const schema = z.object({ spec: z.object({ n: z.int32(), m: z.string().default("x") }) });
    const good = box("b", { spec: { n: 1, unknown: true } });
    const { client } = fakeTransportClient((request) => documents[request.path] ?? good);
    expect(await client.get(await client.discoverKind("x.io/v1", "Box", schema), ref)).toBe(good);
    const bad = fakeTransportClient((request) => documents[request.path] ?? box("b", { spec: { n: "1" } }));
    const wrong = bad.client.get(await bad.client.discoverKind("x.io/v1", "Box", schema), ref);
    await expect(wrong).rejects.toThrow(SchemaMismatch);
    await expect(wrong).rejects.toThrow(/^Box a\/b does not match the schema given to client\.discoverKind\(\): spec\.n: /);
  });

  it("lists every served kind with discoverKinds", async () => {
    const { client } = fakeTransportClient((request) => documents[request.path]);
    expect((await client.discoverKinds()).map((one) => one.id)).toEqual(["v1/Node", "x.io/v1/Box", "x.io/v2/Box"]);
  });
});

it("passes warnings to onWarning", async () => {
  const warnings: unknown[] = [];
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
  await createClient(transport, { onWarning: (warning) => warnings.push(warning) }).get(Box, ref);
  expect(warnings).toEqual([{ text: "careful", request: "GET /apis/x.io/v1/namespaces/a/boxes/b" }]);
});

it("a raw request throws the error of its response", async () => {
  const { client } = fakeTransportClient(() => ({ kind: "Status", apiVersion: "v1", reason: "Conflict", code: 409, message: "m" }), 409);
  await expect(client.request({ method: "PUT", path: "/x" })).rejects.toThrow(Conflict);
});
