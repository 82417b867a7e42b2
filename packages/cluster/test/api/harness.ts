import { seededRandom, type VirtualClock, virtualClock } from "pintle/internal/clock";
import type { JsonObject } from "pintle/kinds";
import { type Cluster, type ClusterOptions, startCluster } from "../../src/index.ts";

export const START = "2026-03-01T12:00:00Z";
export const MERGE = "application/merge-patch+json";
export const JSON_PATCH = "application/json-patch+json";
export const STRATEGIC = "application/strategic-merge-patch+json";
export const APPLY = "application/apply-patch+yaml";
export const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
export const PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

export interface TestResponse {
  readonly status: number;
  readonly body: any;
  readonly warnings: readonly string[];
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}
export interface SendOptions {
  readonly type?: string;
  readonly accept?: string;
  readonly agent?: string;
}
export interface TestApiServer extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly clock: VirtualClock;
  send(
    method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
    more?: SendOptions,
  ): Promise<TestResponse>;
  watch(path: string, more?: SendOptions): Promise<TestWatch>;
}
export interface TestWatch {
  readonly status: number;
  /** Returns the events since the last call, once no more are pending. */
  takeEvents(): Promise<readonly { readonly type: string; readonly object: any }[]>;
  readonly hasEnded: () => boolean;
  stop(): void;
}

/** Starts an API server without controllers, with a virtual clock and deterministic names. */
export async function startTestApiServer(options: ClusterOptions = {}): Promise<TestApiServer> {
  const clock = virtualClock(START);
  const cluster = await startCluster({ without: true, clock, random: seededRandom(1), ...options });
  const headersOf = ({ type, accept, agent = "test" }: SendOptions) => ({
    ...(type === undefined ? {} : { "content-type": type }),
    ...(accept === undefined ? {} : { accept }),
    "user-agent": agent,
  });
  return {
    cluster,
    clock,
    async send(method, path, body, more = {}) {
      const { pathname, query } = splitPath(path);
      const response = await cluster.transport.request({ method, path: pathname, query, body, headers: headersOf(more) });
      const value = await response.json().catch(() => undefined);
      const warnings = [response.headers["warning"] ?? []]
        .flat()
        .map((text) => text.replace(/^299 - "(.*)"$/, "$1").replace(/\\(.)/g, "$1"));
      return { status: response.status, body: value, warnings, headers: response.headers };
    },
    async watch(path, more = {}) {
      const { pathname, query } = splitPath(path);
      const stopped = new AbortController();
      const response = await cluster.transport.request({
        method: "GET",
        path: pathname,
        query: { ...query, watch: "true" },
        headers: headersOf(more),
        signal: stopped.signal,
      });
      let events: { type: string; object: any }[] = [];
      let ended = false;
      const reading = (async () => {
        for await (const event of response.lines()) events.push(event as { type: string; object: any });
        ended = true;
      })();
      return {
        status: response.status,
        async takeEvents() {
          await clock.settle();
          const batch = events;
          events = [];
          return batch;
        },
        hasEnded: () => ended,
        stop() {
          stopped.abort();
          void reading;
        },
      };
    },
    [Symbol.asyncDispose]: () => cluster.stop(),
  };
}

function splitPath(path: string) {
  const url = new URL(path, "http://cluster");
  const query = Object.fromEntries([...new Set(url.searchParams.keys())].map((name) => [name, url.searchParams.getAll(name)]));
  return { pathname: url.pathname, query };
}

export const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
export const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";
export const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

export function widget(
  name: string,
  fields: { readonly metadata?: object; readonly spec?: object; readonly status?: object } = {},
): JsonObject {
  const { metadata, ...rest } = fields;
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name, ...metadata }, ...rest } as JsonObject;
}

export const WIDGET_SCHEMA = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: { size: { type: "integer", minimum: 0 }, color: { type: "string", default: "red" }, replicas: { type: "integer" } },
    },
    status: {
      type: "object",
      properties: { phase: { type: "string" }, replicas: { type: "integer" }, selector: { type: "string" } },
    },
  },
};

export function widgetCrd(change: { readonly version?: object; readonly spec?: object; readonly plural?: string } = {}): JsonObject {
  const { plural = "widgets" } = change;
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas", labelSelectorPath: ".status.selector" };
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: WIDGET_SCHEMA },
    subresources: { status: {}, scale },
    selectableFields: [{ jsonPath: ".spec.color" }],
    additionalPrinterColumns: [
      { name: "Color", type: "string", jsonPath: ".spec.color" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
    ...change.version,
  };
  const kind = `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: { group: "example.com", scope: "Namespaced", names: { plural, kind }, versions: [version], ...change.spec },
  } as unknown as JsonObject;
}

/** Starts an API server that serves widgets. */
export async function startWidgetApiServer(change: Parameters<typeof widgetCrd>[0] = {}): Promise<TestApiServer> {
  const api = await startTestApiServer();
  await establishCrd(api, widgetCrd(change));
  return api;
}

export async function establishCrd(api: TestApiServer, crd: JsonObject): Promise<void> {
  const { status, body } = await api.send("POST", CRDS, crd);
  if (status !== 201) throw new Error(`the CRD was refused: ${body.message}`);
  await api.clock.settle();
}
