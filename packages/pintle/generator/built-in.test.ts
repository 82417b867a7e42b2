import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { type ApiResource, documents } from "./documents.ts";
import { builtInFiles, clusterFiles, FROM_FOLDER, FROM_PACKAGE } from "./files.ts";
import { server } from "./server.ts";

const kinds = path.join(import.meta.dirname, "../src/kinds/generated");
const cluster = path.join(import.meta.dirname, "../../cluster/src");

/** The embedded cluster's tables say all that a server said: they can stand in for one. */
const published = (await import(/* @vite-ignore */ pathToFileURL(path.join(cluster, "builtin/published/index.ts")).href)) as Published;
const answers = await server(get);

test("regenerating the kinds changes nothing", () => {
  const made = builtInFiles(answers, FROM_FOLDER);
  expect(made.size).toBeGreaterThan(20);
  for (const [name, text] of made) expect(text === readFileSync(path.join(kinds, name), "utf8"), name).toBe(true);
});

test("regenerating the tables of the cluster changes nothing", () => {
  for (const [name, text] of clusterFiles(answers)) expect(text === readFileSync(path.join(cluster, name), "utf8"), name).toBe(true);
});

test("kinds for others import from the package", () => {
  const apps = builtInFiles(answers, FROM_PACKAGE).get("apps/v1.ts")!;
  expect(apps).toContain('from "pintle/kinds";');
  expect(apps).toContain('import type { PersistentVolumeClaimBody, PodTemplateSpec } from "../core/v1.ts";');
  expect(apps).not.toContain("../../");
});

test("custom resources of the server are left out", async () => {
  const custom = await server(async (at) => {
    const answer = (await get(at)) as { paths: object; groups: unknown[] };
    const groupVersion = "networking.example.com/v1";
    switch (at) {
      case "/openapi/v3":
        return { paths: { ...answer.paths, [`apis/${groupVersion}`]: { serverRelativeURL: "/custom" } } };
      case "/apis":
        return { ...answer, groups: [...answer.groups, { name: "networking.example.com", versions: [{ groupVersion, version: "v1" }] }] };
      default:
        return answer;
    }
  });
  expect(builtInFiles(custom, FROM_FOLDER)).toEqual(builtInFiles(answers, FROM_FOLDER));
  expect(clusterFiles(custom)).toEqual(clusterFiles(answers));
});

describe("answers that do not suffice", () => {
  test("are told apart", () => {
    expect(() => documents([{ kind: "ConfigMap" }])).toThrow("No OpenAPI v3 document was found");
    expect(() => documents([{ openapi: "3.0.0", info: { version: "1.36" }, paths: { "/api/v1/": {} } }])).toThrow(
      "No APIResourceList was found",
    );
  });
});

interface Published {
  openApiPlaces(): Promise<readonly string[]>;
  openApiDocument(place: string): Promise<unknown>;
  publishedGroupVersions(): readonly {
    readonly group: string;
    readonly version: string;
    readonly groupPriority: number;
    readonly versionPriority: number;
    readonly resources: readonly (ApiResource & { readonly subresources: readonly ApiResource[] })[];
  }[];
}

/** Answers as the server did whose answers the tables are made of. */
async function get(at: string): Promise<unknown> {
  const all = published
    .publishedGroupVersions()
    .map((each) => ({ ...each, groupVersion: each.group === "" ? each.version : `${each.group}/${each.version}` }));
  if (at === "/openapi/v3")
    return {
      paths: Object.fromEntries((await published.openApiPlaces()).map((place) => [place, { serverRelativeURL: `/openapi/v3/${place}` }])),
    };
  if (at.startsWith("/openapi/v3/")) return published.openApiDocument(at.slice("/openapi/v3/".length));
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
