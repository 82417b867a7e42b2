import { expect, test } from "vitest";
import { buildRequestInfo } from "./request-info.ts";

function infoOf(line: string) {
  const [method, url] = line.split(" ") as [string, string];
  const { pathname, searchParams } = new URL(url, "http://cluster");
  const query = new Map([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]));
  const info = buildRequestInfo({ method, path: pathname, query });
  if (info.type === "path") return `${info.verb} ${info.path}`;
  const { verb, group, version, namespace, resource, name, subresource } = info;
  return [verb, `${group || "core"}/${version}`, namespace || "-", resource, name || "-", subresource || "-"].join(" ");
}

test.each([
  ["GET /api/v1/pods", "list core/v1 - pods - -"],
  ["GET /api/v1/namespaces/a/pods", "list core/v1 a pods - -"],
  ["GET /api/v1/namespaces/a/pods/p", "get core/v1 a pods p -"],
  ["HEAD /api/v1/namespaces/a/pods/p", "get core/v1 a pods p -"],
  ["GET /api/v1/namespaces/a/pods/p/log", "get core/v1 a pods p log"],
  ["POST /apis/apps/v1/namespaces/a/deployments", "create apps/v1 a deployments - -"],
  ["PUT /apis/apps/v1/namespaces/a/deployments/d/scale", "update apps/v1 a deployments d scale"],
  ["PATCH /apis/apps/v1/namespaces/a/deployments/d", "patch apps/v1 a deployments d -"],
  ["DELETE /api/v1/nodes/n", "delete core/v1 - nodes n -"],
  ["DELETE /api/v1/namespaces/a/pods", "deletecollection core/v1 a pods - -"],
  ["GET /api/v1/pods?watch=true", "watch core/v1 - pods - -"],
  ["GET /api/v1/pods?watch=false", "list core/v1 - pods - -"],
  ["GET /api/v1/watch/namespaces/a/pods/p", "watch core/v1 a pods p -"],
  ["GET /api/v1/namespaces", "list core/v1 - namespaces - -"],
  ["GET /api/v1/namespaces/a", "get core/v1 a namespaces a -"],
  ["PUT /api/v1/namespaces/a/finalize", "update core/v1 a namespaces a finalize"],
  ["GET /api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp,status.phase%3DRunning", "list core/v1 a pods p -"],
  ["GET /apis/example.com/v1/namespaces/a/widgets/x%20y", "get example.com/v1 a widgets x y -"],
  ["GET /api/v1", "get /api/v1"],
  ["GET /apis/apps/v1", "get /apis/apps/v1"],
  ["GET /healthz", "get /healthz"],
  ["OPTIONS /api/v1/pods", "options /api/v1/pods"],
])("%s: %s", (line, expected) => {
  expect(infoOf(line)).toBe(expected);
});
