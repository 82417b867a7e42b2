import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatHumanDuration } from "../../src/api/index.ts";
import { CONFIG_MAPS, PARTIAL, startWidgetApiServer, TABLE, type TestApiServer, WIDGETS, widget } from "./harness.ts";

let api: TestApiServer;
beforeAll(async () => {
  api = await startWidgetApiServer();
  await api.send("POST", WIDGETS, widget("a", { spec: { size: 1 } }));
  await api.clock.advance(200_000);
});
afterAll(() => api.cluster.stop());

describe("Table", () => {
  test("has the columns of the CRD and ages by the cluster's clock", async () => {
    const { body } = await api.send("GET", WIDGETS, undefined, { accept: `${TABLE},application/json` });
    expect(body).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1", metadata: { resourceVersion: expect.any(String) } });
    expect(body.columnDefinitions.map((column: any) => [column.name, column.type, column.format])).toEqual([
      ["Name", "string", "name"],
      ["Color", "string", ""],
      ["Age", "date", ""],
    ]);
    expect(body.rows).toMatchObject([{ cells: ["a", "red", "3m20s"], object: { kind: "PartialObjectMetadata", metadata: { name: "a" } } }]);
  });

  test.each([
    ["None", null],
    ["Metadata", "PartialObjectMetadata"],
    ["Object", "Widget"],
  ])("includeObject=%s", async (include, kind) => {
    const { body } = await api.send("GET", `${WIDGETS}/a?includeObject=${include}`, undefined, { accept: TABLE });
    expect(body.rows[0].object?.kind ?? null).toBe(kind);
  });

  test("an unknown includeObject is refused with 400", async () => {
    const { status, body } = await api.send("GET", `${WIDGETS}?includeObject=All`, undefined, { accept: TABLE });
    expect([status, body.message]).toEqual([
      400,
      `Unable to convert to Table as requested: includeObject: Invalid value: "All": must be 'Metadata', 'Object', 'None', or empty`,
    ]);
  });
});

test("PartialObjectMetadata reduces objects and lists to their metadata", async () => {
  const one = (await api.send("GET", `${WIDGETS}/a`, undefined, { accept: PARTIAL })).body;
  expect(Object.keys(one).sort()).toEqual(["apiVersion", "kind", "metadata"]);
  const all = (await api.send("GET", WIDGETS, undefined, { accept: PARTIAL.replace("Metadata", "MetadataList") })).body;
  expect(all).toMatchObject({
    kind: "PartialObjectMetadataList",
    apiVersion: "meta.k8s.io/v1",
    items: [{ kind: "PartialObjectMetadata" }],
  });
  expect((await api.send("GET", WIDGETS, undefined, { accept: PARTIAL })).status).toBe(406);
});

describe("a review", () => {
  const REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const review = { spec: { nonResourceAttributes: { path: "/", verb: "get" } } };

  test("has no table: the next acceptable form is used, or it is refused with 406", async () => {
    const refused = await api.send("POST", REVIEWS, review, { accept: TABLE });
    expect([refused.status, refused.body.message]).toEqual([
      406,
      "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    ]);
    const { status, body } = await api.send("POST", REVIEWS, review, { accept: `${TABLE},application/json` });
    expect([status, body.kind]).toEqual([201, "SelfSubjectAccessReview"]);
  });

  test("is reduced to its metadata on request", async () => {
    expect((await api.send("POST", REVIEWS, review, { accept: PARTIAL })).body.kind).toBe("PartialObjectMetadata");
    const list = await api.send("POST", REVIEWS, review, { accept: PARTIAL.replace("Metadata", "MetadataList") });
    expect([list.status, list.body.message]).toEqual([
      406,
      "you requested PartialObjectMetadataList, but the requested object is not a list (*authorization.SelfSubjectAccessReview)",
    ]);
  });
});

describe("negotiation", () => {
  test.each([
    ["", 200],
    ["*/*", 200],
    ["application/json;as=Nothing;g=meta.k8s.io;v=v1,application/json", 200],
    ["application/vnd.kubernetes.protobuf,application/json", 200],
    ["application/vnd.kubernetes.protobuf", 200],
    ["application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1", 406],
    ["text/html", 406],
  ])("Accept: %s gives %i", async (accept, status) => {
    expect((await api.send("GET", CONFIG_MAPS, undefined, { accept })).status).toBe(status);
  });

  test("orders clauses by quality", async () => {
    const { body } = await api.send("GET", WIDGETS, undefined, { accept: `application/json;q=0.5,${TABLE};q=0.9` });
    expect(body.kind).toBe("Table");
  });
});

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;
test.each([
  [-2 * s, "<invalid>"],
  [-500, "0s"],
  [0, "0s"],
  [5 * s, "5s"],
  [119 * s, "119s"],
  [2 * m, "2m"],
  [3 * m + 20 * s, "3m20s"],
  [10 * m + 30 * s, "10m"],
  [179 * m, "179m"],
  [3 * h, "3h"],
  [7 * h + 59 * m, "7h59m"],
  [26 * h, "26h"],
  [2 * d, "2d"],
  [3 * d + 4 * h, "3d4h"],
  [9 * d + 5 * h, "9d"],
  [2 * 365 * d + 33 * d, "2y33d"],
  [9 * 365 * d, "9y"],
])("humanDuration(%i) is %s", (ms, text) => {
  expect(formatHumanDuration(ms)).toBe(text);
});
