import { type ApiCase, type CaseContext, MERGE, PARTIAL, PARTIAL_LIST, requestCases, TABLE, widget } from "../../case.ts";
import type { Target } from "../../target.ts";

const BETA = "application/json;as=Table;v=v1beta1;g=meta.k8s.io";

/** Response formats: tables, metadata only, and media types that are not served. */
export function responseFormats({ widgets, configMaps, namespace }: CaseContext): readonly ApiCase[] {
  const tableCase = (
    title: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = TABLE,
  ): ApiCase => [
    title,
    async (target) => {
      const answer = await target.send(method, path, body, headers);
      const columns = answer.body.columnDefinitions?.map(({ description: _, ...column }: any) => column);
      return { ...answer, body: { ...answer.body, columnDefinitions: columns } };
    },
  ];
  const acceptCase = (title: string, accept: string): ApiCase => [
    title,
    async (target) => {
      const { status, type, body } = await target.send("GET", `${configMaps}/shown`, undefined, { accept });
      return [status, type, body.kind, body.apiVersion];
    },
  ];
  const bookmarkCase = (title: string, path: string): ApiCase => [
    title,
    async (target: Target) => {
      const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=none";
      const watch = await target.watch(`${path}?${query}`, TABLE);
      const [event] = (await watch.events(1)) as any[];
      watch.stop();
      return { ...event, object: { ...event.object, columnDefinitions: event.object.columnDefinitions?.map((each: any) => each.name) } };
    },
  ];
  const json = { "content-type": "application/json" };
  const reviews = (name: string, path: string, body: unknown) =>
    requestCases(
      [`W5 ${name} as a table`, "POST", path, body, { ...TABLE, ...json }],
      [`W5 ${name} as a table or JSON`, "POST", path, body, { accept: `${TABLE.accept},application/json`, ...json }],
      [`W7 the metadata of ${name}`, "POST", path, body, { ...PARTIAL, ...json }],
      [`W7 ${name} as a list`, "POST", path, body, { ...PARTIAL_LIST, ...json }],
    );
  const attributes = { nonResourceAttributes: { path: "/", verb: "get" } };
  return [
    ...requestCases(
      ["W7 a config map", "POST", configMaps, { metadata: { name: "shown", labels: { shown: "1" } }, data: { a: "b" } }],
      ["W7 a widget", "POST", widgets, widget("shown", { metadata: { labels: { shown: "1" } }, spec: { size: 1, replicas: 1 } })],
    ),
    tableCase("W5 one config map", "GET", `${configMaps}/shown`),
    tableCase("W5 config maps", "GET", `${configMaps}?labelSelector=shown`),
    tableCase("W5 no config maps", "GET", `${configMaps}?labelSelector=none`),
    tableCase("W5 widgets", "GET", `${widgets}?labelSelector=shown`),
    tableCase("W5 with whole objects", "GET", `${configMaps}?labelSelector=shown&includeObject=Object`),
    tableCase("W5 without objects", "GET", `${configMaps}?labelSelector=shown&includeObject=None`),
    tableCase("W5 of the version before", "GET", `${configMaps}/shown`, undefined, { accept: BETA }),
    tableCase("W5 what was created", "POST", configMaps, { metadata: { name: "shown2" } }, { ...TABLE, ...json }),
    tableCase("W5 what was patched", "PATCH", `${configMaps}/shown2`, { data: { a: "b" } }, { ...TABLE, ...MERGE }),
    tableCase("W5 what was deleted", "DELETE", `${configMaps}/shown2`),
    tableCase("W5 what is missing", "GET", `${configMaps}/nope`),
    tableCase("W5 A0 what is invalid", "POST", configMaps, { metadata: { name: "_" } }, { ...TABLE, ...json }),
    tableCase("W5 namespaces", "GET", `/api/v1/namespaces/${namespace}`),
    bookmarkCase("W5 D6 a bookmark among config maps", configMaps),
    bookmarkCase("W5 D6 a bookmark among widgets", widgets),
    acceptCase("W5 the first of three that is known", `${TABLE.accept.replace("v=v1", "v=v9")},${BETA},application/json`),
    acceptCase("W5 the best of two", "application/yaml;q=0.5,application/json;q=0.9"),
    acceptCase("W5 anything", "*/*"),
    acceptCase("W5 protobuf or JSON", "text/html,application/json"),
    ...requestCases(
      ["W7 one widget", "GET", `${widgets}/shown`, undefined, PARTIAL],
      [
        "W7 one config map of the version before",
        "GET",
        `${configMaps}/shown`,
        undefined,
        { accept: PARTIAL.accept.replace("v=v1", "v=v1beta1") },
      ],
      ["W7 config maps", "GET", `${configMaps}?labelSelector=shown`, undefined, PARTIAL_LIST],
      ["W7 widgets", "GET", `${widgets}?labelSelector=shown`, undefined, PARTIAL_LIST],
      ["W7 what was created", "POST", configMaps, { metadata: { name: "shown3" } }, { ...PARTIAL, ...json }],
      ["W7 what was patched", "PATCH", `${widgets}/shown`, { spec: { size: 2 } }, { ...PARTIAL, ...MERGE }],
      ["W7 what was deleted", "DELETE", `${configMaps}/shown3`, undefined, PARTIAL],
      ["W7 what is missing", "GET", `${widgets}/nope`, undefined, PARTIAL],
      ["W5 a table of a version that is none", "GET", configMaps, undefined, { accept: TABLE.accept.replace("v=v1", "v=v9") }],
      ["W5 a widget as a page", "GET", widgets, undefined, { accept: "text/html" }],
      ["W5 a config map as a page", "GET", configMaps, undefined, { accept: "text/html" }],
      ["W5 a watch as a page", "GET", `${configMaps}?watch=1`, undefined, { accept: "text/html" }],
      ["W5 a namespace that is finalized", "PUT", `/api/v1/namespaces/nope/finalize`, {}, { ...TABLE, ...json }],
      [
        "W5 the status of a CRD",
        "GET",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com/status",
        undefined,
        TABLE,
      ],
      ["W5 the status of an APIService", "GET", "/apis/apiregistration.k8s.io/v1/apiservices/v1./status", undefined, TABLE],
      ["W5 an approval", "PUT", "/apis/certificates.k8s.io/v1/certificatesigningrequests/nope/approval", {}, { ...TABLE, ...json }],
      ["W5 a watch in YAML", "GET", `${configMaps}?watch=1`, undefined, { accept: "application/yaml" }],
    ),
    ...reviews("an access review", "/apis/authorization.k8s.io/v1/subjectaccessreviews", { spec: { user: "ana", ...attributes } }),
    ...reviews("an own access review", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { spec: attributes }),
    ...reviews("a token review", "/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: "x" } }),
    ...reviews("an eviction", `/api/v1/namespaces/${namespace}/pods/nope/eviction`, { metadata: { name: "nope" } }),
    tableCase("W5 the scale of a widget", "GET", `${widgets}/shown/scale`),
    tableCase("W5 the status of a widget", "GET", `${widgets}/shown/status`),
  ];
}
