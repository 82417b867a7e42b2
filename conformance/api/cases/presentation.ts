import { type Ground, MERGE, PARTIAL, PARTIAL_LIST, requests, type Step, TABLE, widget } from "../step.ts";
import type { Target } from "../target.ts";

const BETA = "application/json;as=Table;v=v1beta1;g=meta.k8s.io";

/** The same objects as tables, as metadata, or as nothing that is known. */
export function presentation({ widgets, configMaps, namespace }: Ground): readonly Step[] {
  const rows = (title: string, method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = TABLE): Step => [
    title,
    async (target) => {
      const answer = await target.send(method, path, body, headers);
      const columns = answer.body.columnDefinitions?.map(({ description: _, ...column }: any) => column);
      return { ...answer, body: { ...answer.body, columnDefinitions: columns } };
    },
  ];
  const asked = (title: string, accept: string): Step => [
    title,
    async (target) => {
      const { status, type, body } = await target.send("GET", `${configMaps}/shown`, undefined, { accept });
      return [status, type, body.kind, body.apiVersion];
    },
  ];
  const bookmark = (title: string, path: string): Step => [
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
  return [
    ...requests(
      ["W7 a config map", "POST", configMaps, { metadata: { name: "shown", labels: { shown: "1" } }, data: { a: "b" } }],
      ["W7 a widget", "POST", widgets, widget("shown", { metadata: { labels: { shown: "1" } }, spec: { size: 1 } })],
    ),
    rows("W5 one config map", "GET", `${configMaps}/shown`),
    rows("W5 config maps", "GET", `${configMaps}?labelSelector=shown`),
    rows("W5 no config maps", "GET", `${configMaps}?labelSelector=none`),
    rows("W5 widgets", "GET", `${widgets}?labelSelector=shown`),
    rows("W5 with whole objects", "GET", `${configMaps}?labelSelector=shown&includeObject=Object`),
    rows("W5 without objects", "GET", `${configMaps}?labelSelector=shown&includeObject=None`),
    rows("W5 of the version before", "GET", `${configMaps}/shown`, undefined, { accept: BETA }),
    rows("W5 what was created", "POST", configMaps, { metadata: { name: "shown2" } }, { ...TABLE, ...json }),
    rows("W5 what was patched", "PATCH", `${configMaps}/shown2`, { data: { a: "b" } }, { ...TABLE, ...MERGE }),
    rows("W5 what was deleted", "DELETE", `${configMaps}/shown2`),
    rows("W5 what is missing", "GET", `${configMaps}/nope`),
    rows("W5 A0 what is invalid", "POST", configMaps, { metadata: { name: "_" } }, { ...TABLE, ...json }),
    rows("W5 namespaces", "GET", `/api/v1/namespaces/${namespace}`),
    bookmark("W5 D6 a bookmark among config maps", configMaps),
    bookmark("W5 D6 a bookmark among widgets", widgets),
    asked("W5 the first of three that is known", `${TABLE.accept.replace("v=v1", "v=v9")},${BETA},application/json`),
    asked("W5 the best of two", "application/yaml;q=0.5,application/json;q=0.9"),
    asked("W5 anything", "*/*"),
    asked("W5 protobuf or JSON", "text/html,application/json"),
    ...requests(
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
      ["W5 a watch in YAML", "GET", `${configMaps}?watch=1`, undefined, { accept: "application/yaml" }],
    ),
  ];
}
