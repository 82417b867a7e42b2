import { isRecord, type PathItem, type PublishedDocuments } from "../input/documents.ts";
import { compareText } from "../schema.ts";
import { renderTable } from "./table.ts";
import { withoutDescriptions } from "./without-descriptions.ts";

/**
 * Renders the `paths` of every OpenAPI document. Most values repeat, so each is written once and numbered: line 1 has the fields that all
 * documents share, 2 the parameters, 3 the lists of parameters, 4 the request bodies, 5 the responses (bodies and responses without the
 * name of their schema), all as JSON. Then, per document:
 *
 *     apis/apps/v1 apps_v1                 the document and the tag of its operations
 *     \t/apis/apps/v1/deployments 3        a path and its list of parameters (- for none)
 *     \t\tget list Deployment listApps... 2 - 5 - io.k8s...DeploymentList
 *                                          method, action, kind, operation, parameters, body, responses, body's schema, responses' schema
 *
 * A kind of another group-version is written group/version/kind.
 */
export function pathsTable(published: PublishedDocuments): string {
  const parameters = createNumbering();
  const lists = createNumbering();
  const bodies = createNumbering();
  const responses = createNumbering();
  const lines: string[] = [];
  for (const [documentPath, document] of [...published.openapi].sort(([a], [b]) => compareText(a, b))) {
    const tag = tagOf(documentPath, document.paths);
    lines.push(`${documentPath} ${tag}`);
    for (const [path, item] of Object.entries(document.paths).sort(([a], [b]) => compareText(a, b))) {
      lines.push(`\t${path} ${listOf(item["parameters"])}`);
      for (const [method, operation] of operationsOf(item)) lines.push(`\t\t${operationText(documentPath, method, operation)}`);
    }
  }
  const shared = [parameters, lists, bodies, responses].map((each) => JSON.stringify(each.values));
  return renderTable(published, "paths", [JSON.stringify(sharedFrame(published)), ...shared, ...lines]);

  function operationText(documentPath: string, method: string, operation: OpenApiOperation): string {
    const { operationId, tags: _, "x-kubernetes-action": action, "x-kubernetes-group-version-kind": gvk, ...rest } = operation;
    const { parameters: own, requestBody, responses: responseBodies, ...unknown } = rest;
    if (Object.keys(unknown).length > 0) throw new Error(`${operationId}: the table cannot store ${Object.keys(unknown).join(", ")}`);
    const body = templateOf(requestBody, bodies, operationId);
    const response = templateOf(responseBodies, responses, operationId);
    return [
      method,
      action ?? "-",
      kindOf(documentPath, gvk),
      operationId,
      listOf(own),
      body.id,
      response.id,
      body.schema,
      response.schema,
    ].join(" ");
  }

  function listOf(list: unknown): string {
    if (!Array.isArray(list)) return "-";
    return lists.idOf(list.map((parameter) => Number(parameters.idOf(withoutDescriptions(parameter)))));
  }
}

function sharedFrame(published: PublishedDocuments): unknown {
  const frames = new Map<string, unknown>();
  for (const { openapi, info, components } of published.openapi.values()) {
    const frame = withoutDescriptions({ openapi, info, securitySchemes: components?.securitySchemes });
    frames.set(JSON.stringify(frame), frame);
  }
  if (frames.size !== 1)
    throw new Error(`The documents were expected to agree on openapi, info and securitySchemes: ${[...frames.keys()].join(", ")}`);
  return [...frames.values()][0];
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: unknown;
  readonly requestBody?: unknown;
  readonly responses?: unknown;
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: { readonly group: string; readonly version: string; readonly kind: string };
}

function operationsOf(item: PathItem): readonly (readonly [string, OpenApiOperation])[] {
  return Object.entries(item)
    .filter(([method]) => method !== "parameters")
    .sort(([a], [b]) => compareText(a, b))
    .map(([method, operation]) => {
      const { description: _, ...facts } = operation as OpenApiOperation & { readonly description?: string };
      return [method, facts] as const;
    });
}

/** Numbers values in the order of their first occurrence. */
function createNumbering() {
  const ids = new Map<string, string>();
  const values: unknown[] = [];
  return {
    values,
    idOf(value: unknown): string {
      const text = JSON.stringify(value);
      const known = ids.get(text) ?? String(values.length);
      if (!ids.has(text)) {
        ids.set(text, known);
        values.push(value);
      }
      return known;
    },
  };
}

const REFERENCE = /"#\/components\/schemas\/([^"]+)"/g;

/** Removes the one schema from a body or the responses. Descriptions of responses stay, because OpenAPI requires them. */
function templateOf(
  value: unknown,
  known: ReturnType<typeof createNumbering>,
  operation: string,
): { readonly id: string; readonly schema: string } {
  if (!isRecord(value)) return { id: "-", schema: "-" };
  const text = JSON.stringify(value);
  const schemas = new Set([...text.matchAll(REFERENCE)].map((match) => match[1]!));
  if (schemas.size > 1) throw new Error(`${operation} refers to several schemas: ${[...schemas].join(", ")}`);
  return { id: known.idOf(JSON.parse(text.replace(REFERENCE, '"#/components/schemas/"'))), schema: [...schemas][0] ?? "-" };
}

function kindOf(documentPath: string, gvk: OpenApiOperation["x-kubernetes-group-version-kind"]): string {
  if (gvk === undefined) return "-";
  const groupVersion = gvk.group === "" ? gvk.version : `${gvk.group}/${gvk.version}`;
  return groupVersion === documentPath.replace(/^apis?\//, "") ? gvk.kind : `${gvk.group}/${gvk.version}/${gvk.kind}`;
}

function tagOf(documentPath: string, paths: Readonly<Record<string, PathItem>>): string {
  const tags = new Set(Object.values(paths).flatMap((item) => operationsOf(item).flatMap(([, operation]) => operation.tags)));
  if (tags.size !== 1) throw new Error(`${documentPath}: the table can store one tag, not ${[...tags].join(", ")}`);
  return [...tags][0]!;
}
