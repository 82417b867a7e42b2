import { gunzipSync } from "node:zlib";
import { type ApiCase, type CaseContext, requestCases } from "../../case.ts";
import type { Target } from "../../target.ts";

const DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const GROUPS = `apps batch autoscaling networking.k8s.io policy rbac.authorization.k8s.io storage.k8s.io apiextensions.k8s.io
  admissionregistration.k8s.io authentication.k8s.io authorization.k8s.io certificates.k8s.io coordination.k8s.io
  discovery.k8s.io events.k8s.io flowcontrol.apiserver.k8s.io node.k8s.io scheduling.k8s.io apiregistration.k8s.io resource.k8s.io`.split(
  /\s+/,
);
/** Subresources that are streams. */
const STREAMS = /\/(attach|exec|log|portforward|proxy)$/;

/** Discovery, OpenAPI, compression, and watches over WebSockets. */
export function wire({ widgets, configMaps, runId }: CaseContext): readonly ApiCase[] {
  const responseCase = (title: string, method: string, path: string, headers?: Readonly<Record<string, string>>): ApiCase => [
    title,
    async (target) => {
      const answer = await target.raw(method, path, headers);
      const { "content-type": type, "content-encoding": encoding, vary, "cache-control": cache } = answer.headers;
      const text = (encoding === "gzip" ? gunzipSync(answer.bytes) : answer.bytes).toString();
      return [answer.status, type, encoding, vary, cache, text.length > 100_000];
    },
  ];
  const lengthCase = (title: string, path: string): ApiCase => [
    title,
    async (target) => {
      const { status, headers, bytes } = await target.raw("HEAD", path);
      return [status, headers["content-type"], Number(headers["content-length"]) > 0, bytes.length];
    },
  ];
  const getAggregated = async (target: Target, path: string, accept: string) => {
    const { type, body } = await target.send("GET", path, undefined, { accept });
    const items = body.items.filter(({ metadata }: any) => !metadata.name?.includes(runId));
    const withoutStreams = (resource: any) => ({
      ...resource,
      subresources: resource.subresources?.filter((each: any) => !STREAMS.test(`/${each.subresource}`)),
    });
    return [
      type,
      body.kind,
      body.apiVersion,
      items.map((item: any) =>
        JSON.parse(
          JSON.stringify({
            ...item,
            versions: item.versions.map((each: any) => ({ ...each, resources: each.resources.map(withoutStreams) })),
          }),
        ),
      ),
    ];
  };
  const webSocketCase = (title: string, path: string, count: number, headers: Readonly<Record<string, string>> = {}): ApiCase => [
    title,
    async (target) => {
      const opened = await target.socket(path, headers);
      const messages = (await opened.messages(count)).slice(0, count);
      opened.close();
      const shown = messages.map(({ opcode, text }) => [opcode, text.startsWith("{") ? JSON.parse(text) : text, text.endsWith("\n")]);
      return [opened.status, opened.protocol, opened.text.startsWith("{") ? JSON.parse(opened.text) : opened.text, shown];
    },
  ];
  const brief = `${configMaps}?watch=1&timeoutSeconds=1`;
  return [
    [
      "W8 something long, and something longer",
      async (target) => {
        const long = await target.send("POST", configMaps, { metadata: { name: "long" }, data: { a: "x".repeat(140_000) } });
        return [
          long.status,
          (
            await target.send("POST", widgets, {
              apiVersion: "example.com/v1",
              kind: "Widget",
              metadata: { name: "socket", labels: { socket: "1" } },
            })
          ).status,
        ];
      },
    ],
    responseCase("W8 accept-encoding gzip", "GET", `${configMaps}/long`, { "accept-encoding": "gzip" }),
    responseCase("W8 accept-encoding gzip among others", "GET", `${configMaps}/long`, { "accept-encoding": "deflate, gzip" }),
    responseCase("W8 accept-encoding gzip only", "GET", `${configMaps}/long`),
    responseCase("W8 accept-encoding of another kind", "GET", `${configMaps}/long`, { "accept-encoding": "deflate, br" }),
    responseCase("W8 accept-encoding gzip with q=0", "GET", `${configMaps}/long`, { "accept-encoding": "gzip;q=0" }),
    responseCase("W8 a list", "GET", configMaps, { "accept-encoding": "gzip" }),
    responseCase("W8 something short", "GET", `${configMaps}?labelSelector=none`, { "accept-encoding": "gzip" }),
    responseCase("W8 W6 a watch", "GET", `${brief}&labelSelector=none`, { "accept-encoding": "gzip" }),
    responseCase("W2 what has no answer", "GET", "/nope"),
    responseCase("A3 what is no method", "OPTIONS", configMaps),
    lengthCase("A3 how long a refusal would be", `${configMaps}/long`),
    lengthCase("W2 how long a widget is", `${widgets}/socket`),
    lengthCase("A1 how long a missing widget is", `${widgets}/nope`),
    ["W1 all groups", (target) => getAggregated(target, "/apis", DISCOVERY)],
    ["W1 the core group", (target) => getAggregated(target, "/api", DISCOVERY)],
    [
      "W1 the version before, or group by group",
      (target) => target.send("GET", "/api", undefined, { accept: `${DISCOVERY.replace("v=v2", "v=v2beta1")},application/json` }),
    ],
    [
      "W1 nothing that is known, or all groups",
      (target) => getAggregated(target, "/apis", `${DISCOVERY.replace("v=v2", "v=v9")},${DISCOVERY}`),
    ],
    ["W1 with a choice", (target) => getAggregated(target, "/apis", `${DISCOVERY},application/json`)],
    ...requestCases(
      ...GROUPS.map((group) => [`W2 ${group}`, "GET", `/apis/${group}/v1`] as const),
      ["W2 autoscaling v2", "GET", "/apis/autoscaling/v2"],
      ["W2 the group of apps", "GET", "/apis/apps"],
    ),
    [
      "W2 the core group by itself",
      async (target) => {
        const { body } = await target.send("GET", "/api/v1");
        return { ...body, resources: body.resources.filter(({ name }: any) => !STREAMS.test(name)) };
      },
    ],
    [
      "W3 the documents there are",
      async (target) =>
        Object.keys((await target.send("GET", "/openapi/v3")).body.paths)
          .filter((path) => !path.includes(runId) && !/^(logs|openid|\.well-known|version)/.test(path))
          .sort(),
    ],
    ...["apis/apps/v1", "apis/example.com/v1"].map(
      (path): ApiCase => [
        `W3 ${path}`,
        async (target) => {
          const { body } = await target.send("GET", "/openapi/v3");
          const address: string = body.paths[path].serverRelativeURL;
          const { status, headers } = await target.raw("GET", address);
          const document = await target.send("GET", address);
          return [
            status,
            headers["cache-control"],
            /\?hash=[0-9A-F]+$/.test(address),
            Object.keys(document.body.paths).sort(),
            Object.keys(document.body.components.schemas).sort(),
          ];
        },
      ],
    ),
    ["W3 A2 a document that is not there", async (target) => (await target.send("GET", "/openapi/v3/apis/nope/v1")).status],
    webSocketCase("W6 over a WebSocket", `${brief}&labelSelector=shown`, 2),
    webSocketCase("W6 widgets over a WebSocket", `${widgets}?watch=1&timeoutSeconds=1&labelSelector=socket`, 2),
    webSocketCase("W6 with the binary protocol", `${brief}&labelSelector=none`, 1, { "sec-websocket-protocol": "binary.k8s.io" }),
    webSocketCase("W6 with the base64 protocol", `${brief}&labelSelector=none`, 1, { "sec-websocket-protocol": "base64.binary.k8s.io" }),
    webSocketCase("W6 with two protocols", `${brief}&labelSelector=none`, 1, { "sec-websocket-protocol": "a, b" }),
    webSocketCase("W6 of a version that is none", `${brief}&labelSelector=none`, 1, { "sec-websocket-version": "8" }),
    webSocketCase("W6 without a key", `${brief}&labelSelector=none`, 1, { "sec-websocket-key": "" }),
    webSocketCase("W6 without an origin", `${brief}&labelSelector=none`, 1, { origin: "" }),
    webSocketCase("W6 D7 labels that cannot be", `${configMaps}?watch=1&labelSelector=a%20b`, 1),
    webSocketCase("W6 D1 a resourceVersion that is none", `${configMaps}?watch=1&resourceVersion=abc`, 1),
    webSocketCase("W6 A1 what is no watch", `${configMaps}/nope`, 0),
    webSocketCase("W6 A2 what is not there", "/nope", 0),
  ];
}
