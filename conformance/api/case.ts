import type { Target } from "./target.ts";

/** What every case may use; the same names on both servers. */
export interface CaseContext {
  readonly namespace: string;
  readonly configMaps: string;
  readonly widgets: string;
  /** Unique per run, for names of cluster-scoped objects. */
  readonly runId: string;
}

/** An action whose result must be equal on both servers. Its title begins with the numbers of its statements: "A1 D2 get ...". */
export type ApiCase = readonly [title: string, run: (target: Target) => Promise<unknown>];

/** The statement numbers at the start of a title. */
export function statementNumbers(title: string): readonly string[] {
  return /^((?:[A-Z]\d+ )*)/.exec(title)?.[1]?.trim().split(" ").filter(Boolean) ?? [];
}

export const MERGE = { "content-type": "application/merge-patch+json" };
export const JSON_PATCH = { "content-type": "application/json-patch+json" };
export const STRATEGIC = { "content-type": "application/strategic-merge-patch+json" };
export const APPLY = { "content-type": "application/apply-patch+yaml" };
export const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
export const PARTIAL = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" };
export const PARTIAL_LIST = { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" };

type RequestRow = readonly [title: string, method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>];

/** Cases of one request each. */
export function requestCases(...rows: readonly RequestRow[]): readonly ApiCase[] {
  return rows.map(([title, method, path, body, headers]) => [title, (target) => target.send(method, path, body, headers)]);
}

export function widget(
  name: string,
  { metadata, ...rest }: { readonly metadata?: object; readonly spec?: object; readonly status?: object } = {},
) {
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name, ...metadata }, ...rest };
}

const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas", labelSelectorPath: ".status.selector" };
const integer = { type: "integer" };
const string = { type: "string" };
export const widgetCrd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { size: { type: "integer", minimum: 0 }, color: { type: "string", default: "red" }, replicas: integer },
              },
              status: { type: "object", properties: { phase: string, replicas: integer, selector: string } },
            },
          },
        },
        subresources: { status: {}, scale },
      },
    ],
  },
};
