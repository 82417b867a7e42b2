import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWidgetApiServer, type TestApiServer } from "./harness.ts";

let api: TestApiServer;
beforeAll(async () => {
  api = await startWidgetApiServer();
});
afterAll(() => api.cluster.stop());

const aggregatedType = (version: string) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList,application/json`;

describe("aggregated discovery", () => {
  test.each(["v2", "v2beta1"])("%s", async (version) => {
    const { body, headers } = await api.send("GET", "/apis", undefined, { accept: aggregatedType(version) });
    expect(headers).toMatchObject({
      "content-type": `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
      vary: "Accept",
    });
    expect(body).toMatchObject({ kind: "APIGroupDiscoveryList", apiVersion: `apidiscovery.k8s.io/${version}` });
    const names = body.items.map((item: any) => item.metadata.name);
    expect(names.indexOf("apps")).toBeLessThan(names.indexOf("example.com"));
    expect(body.items.find((item: any) => item.metadata.name === "example.com").versions).toMatchObject([
      {
        version: "v1",
        freshness: "Current",
        resources: [
          {
            resource: "widgets",
            responseKind: { group: "example.com", version: "v1", kind: "Widget" },
            scope: "Namespaced",
            singularResource: "widget",
            subresources: [
              { subresource: "status", responseKind: { group: "example.com", version: "v1", kind: "Widget" } },
              { subresource: "scale", responseKind: { group: "autoscaling", version: "v1", kind: "Scale" } },
            ],
          },
        ],
      },
    ]);
  });

  test("serves the core group at /api", async () => {
    const { body } = await api.send("GET", "/api", undefined, { accept: aggregatedType("v2") });
    expect(body.items.map((item: any) => item.metadata.name)).toEqual([undefined]);
  });
});

test.each([
  ["/api", { kind: "APIVersions", versions: ["v1"] }],
  ["/apis", { kind: "APIGroupList", apiVersion: "v1" }],
  ["/apis/example.com", { kind: "APIGroup", name: "example.com", preferredVersion: { groupVersion: "example.com/v1", version: "v1" } }],
  ["/api/v1", { kind: "APIResourceList", groupVersion: "v1" }],
  ["/version", { major: "1", minor: "36", gitVersion: "v1.36.3" }],
])("GET %s", async (path, expected) => {
  expect(await api.send("GET", path)).toMatchObject({ status: 200, body: expected });
});

async function text(path: string): Promise<readonly [number, string]> {
  const { pathname, searchParams } = new URL(path, "http://cluster");
  const response = await api.cluster.transport.request({ method: "GET", path: pathname, query: Object.fromEntries(searchParams) });
  let body = "";
  for await (const chunk of response.bytes()) body += Buffer.from(chunk).toString();
  return [response.status, body];
}

test.each([
  ["/healthz", 200, /^ok$/],
  ["/livez/ping", 200, /^ok$/],
  ["/readyz?verbose", 200, /^\[\+\]ping ok\n(.*\n)*readyz check passed\n$/],
  ["/livez/nonsense", 404, /^404 page not found\n$/],
  ["/nowhere", 404, /^404 page not found\n$/],
  ["/apis/nowhere.example.com/v1/things", 404, /^404 page not found\n$/],
])("GET %s: %i", async (path, status, body) => {
  expect(await text(path)).toEqual([status, expect.stringMatching(body)]);
});

describe("/openapi/v2", () => {
  const requestDocument = (headers: Readonly<Record<string, string>>) =>
    api.cluster.transport.request({ method: "GET", path: "/openapi/v2", headers });

  test("returns the schemas of all kinds", async () => {
    const { body } = await api.send("GET", "/openapi/v2");
    expect(body).toMatchObject({ swagger: "2.0", info: { title: "Kubernetes", version: "v1.36.3" } });
    expect(body.definitions["io.k8s.api.apps.v1.Deployment"].properties.spec).toEqual({
      $ref: "#/definitions/io.k8s.api.apps.v1.DeploymentSpec",
    });
    expect(JSON.stringify(body)).not.toContain("#/components/");
  });

  test("returns protobuf if accepted, and 304 for a matching ETag", async () => {
    const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    const { status, headers } = await requestDocument({ accept });
    expect([status, headers["content-type"]]).toEqual([200, "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"]);
    expect((await requestDocument({ accept, "if-none-match": String(headers["etag"]) })).status).toBe(304);
  });
});

test("/openapi/v3 lists built-in and custom group-versions", async () => {
  const { body } = await api.send("GET", "/openapi/v3");
  expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(["api/v1", "apis/apps/v1", "apis/example.com/v1"]));
  const document = await api.send("GET", body.paths["apis/apps/v1"].serverRelativeURL);
  expect(document.body.components.schemas["io.k8s.api.apps.v1.Deployment"].type).toBe("object");
});
