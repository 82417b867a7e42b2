import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { builtInFiles, clusterFiles, FROM_FOLDER, FROM_PACKAGE } from "./generated-files.ts";
import { type ApiResource, classifyDocuments } from "./input/documents.ts";
import { fetchDocuments } from "./input/fetch-documents.ts";

const kinds = path.join(import.meta.dirname, "../src/kinds/generated");
const cluster = path.join(import.meta.dirname, "../../cluster/src");

/** The embedded cluster's tables contain everything that the API server published, so they replace it here. */
const published = (await import(/* @vite-ignore */ pathToFileURL(path.join(cluster, "builtin/published/index.ts")).href)) as Published;
const documents = await fetchDocuments(get);

test("renders the committed kinds", () => {
  const rendered = builtInFiles(documents, FROM_FOLDER);
  expect(rendered.size).toBeGreaterThan(20);
  for (const [name, text] of rendered) expect(text === readFileSync(path.join(kinds, name), "utf8"), name).toBe(true);
});

test("renders the committed tables of the embedded cluster", () => {
  for (const [name, text] of clusterFiles(documents)) expect(text === readFileSync(path.join(cluster, name), "utf8"), name).toBe(true);
});

test("imports from the package in kinds for other projects", () => {
  const apps = builtInFiles(documents, FROM_PACKAGE).get("apps/v1.ts")!;
  expect(apps).toContain('from "pintle/kinds";');
  expect(apps).toContain('import type { PersistentVolumeClaimBody, PodTemplateSpec } from "../core/v1.ts";');
  expect(apps).not.toContain("../../");
});

test("omits custom resources of the API server", async () => {
  const custom = await fetchDocuments(async (at) => {
    const response = (await get(at)) as { paths: object; groups: unknown[] };
    const groupVersion = "networking.example.com/v1";
    switch (at) {
      case "/openapi/v3":
        return { paths: { ...response.paths, [`apis/${groupVersion}`]: { serverRelativeURL: "/custom" } } };
      case "/apis":
        return {
          ...response,
          groups: [...response.groups, { name: "networking.example.com", versions: [{ groupVersion, version: "v1" }] }],
        };
      default:
        return response;
    }
  });
  expect(builtInFiles(custom, FROM_FOLDER)).toEqual(builtInFiles(documents, FROM_FOLDER));
  expect(clusterFiles(custom)).toEqual(clusterFiles(documents));
});

describe("classifyDocuments", () => {
  test("names the missing document", () => {
    expect(() => classifyDocuments([{ kind: "ConfigMap" }])).toThrow("No OpenAPI v3 document was found");
    expect(() => classifyDocuments([{ openapi: "3.0.0", info: { version: "1.36" }, paths: { "/api/v1/": {} } }])).toThrow(
      "No APIResourceList was found",
    );
  });
});

interface Published {
  listOpenApiPaths(): Promise<readonly string[]>;
  getOpenApiDocument(documentPath: string): Promise<unknown>;
  listPublishedGroupVersions(): readonly {
    readonly group: string;
    readonly version: string;
    readonly groupPriority: number;
    readonly versionPriority: number;
    readonly resources: readonly (ApiResource & { readonly subresources: readonly ApiResource[] })[];
  }[];
}

/** Responds like the API server from which the tables were generated. */
async function get(at: string): Promise<unknown> {
  const all = published
    .listPublishedGroupVersions()
    .map((each) => ({ ...each, groupVersion: each.group === "" ? each.version : `${each.group}/${each.version}` }));
  if (at === "/openapi/v3")
    return {
      paths: Object.fromEntries(
        (await published.listOpenApiPaths()).map((documentPath) => [documentPath, { serverRelativeURL: `/openapi/v3/${documentPath}` }]),
      ),
    };
  if (at.startsWith("/openapi/v3/")) return published.getOpenApiDocument(at.slice("/openapi/v3/".length));
  if (at === "/custom") return { openapi: "3.0.0", info: { version: "1.36" }, paths: { "/apis/networking.example.com/v1/": {} } };
  if (at === "/apis") {
    const names = [...new Set(all.map(({ group }) => group))].filter((name) => name !== "");
    return { kind: "APIGroupList", groups: names.map((name) => ({ name, versions: all.filter(({ group }) => group === name) })) };
  }
  if (at.endsWith("/apiservices")) {
    const spec = all.map(({ group, version, groupPriority, versionPriority }) => ({
      group,
      version,
      groupPriorityMinimum: groupPriority,
      versionPriority,
    }));
    return { kind: "APIServiceList", items: spec.map((each) => ({ spec: each })) };
  }
  const groupVersion = at.replace(/^\/apis?\//, "");
  const resources = all.find((each) => each.groupVersion === groupVersion)?.resources ?? [
    { name: "gateways", kind: "Gateway", namespaced: true, verbs: [], subresources: [] },
  ];
  return {
    kind: "APIResourceList",
    groupVersion,
    resources: resources.flatMap(({ subresources, ...resource }) => [
      resource,
      ...subresources.map((each) => ({
        ...each,
        name: `${resource.name}/${each.name}`,
        singularName: "",
        namespaced: resource.namespaced,
      })),
    ]),
  };
}
