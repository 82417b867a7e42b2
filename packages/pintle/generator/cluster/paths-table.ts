import { type Documents, isRecord, type PathItem } from "../documents.ts";
import { byText } from "../schema.ts";
import { withoutProse } from "./prose.ts";
import { table } from "./table.ts";

/**
 * The `paths` of every OpenAPI document. Almost everything in them repeats, so parts are written once and numbered:
 * line 1 what all documents share, 2 the parameters, 3 the lists of parameters, 4 the request bodies, 5 the responses
 * (bodies and responses without the name of their schema), all as JSON. Then, per document:
 *
 *     apis/apps/v1 apps_v1                 the document and the tag of its operations
 *     \t/apis/apps/v1/deployments 3        a path and its list of parameters (- for none)
 *     \t\tget list Deployment listApps... 2 - 5 - io.k8s...DeploymentList
 *                                          method, action, kind, operation, parameters, body, responses, body's schema, responses' schema
 *
 * A kind of another group-version is written group/version/kind.
 */
export function pathsTable(published: Documents): string {
  const parameters = numbered();
  const lists = numbered();
  const bodies = numbered();
  const responses = numbered();
  const lines: string[] = [];
  for (const [place, document] of [...published.openapi].sort(([a], [b]) => byText(a, b))) {
    const tag = tagOf(place, document.paths);
    lines.push(`${place} ${tag}`);
    for (const [path, item] of Object.entries(document.paths).sort(([a], [b]) => byText(a, b))) {
      lines.push(`\t${path} ${listOf(item["parameters"])}`);
      for (const [method, operation] of operationsOf(item)) lines.push(`\t\t${operationText(place, method, operation)}`);
    }
  }
  const shared = [parameters, lists, bodies, responses].map((each) => JSON.stringify(each.values));
  return table(published, "paths", [JSON.stringify(frameOf(published)), ...shared, ...lines]);

  function operationText(place: string, method: string, operation: Operation): string {
    const { operationId, tags: _, "x-kubernetes-action": action, "x-kubernetes-group-version-kind": gvk, ...rest } = operation;
    const { parameters: own, requestBody, responses: answers, ...unknown } = rest;
    if (Object.keys(unknown).length > 0) throw new Error(`${operationId}: the table has no place for ${Object.keys(unknown).join(", ")}`);
    const body = templateOf(requestBody, bodies, operationId);
    const answer = templateOf(answers, responses, operationId);
    return [method, action ?? "-", kindOf(place, gvk), operationId, listOf(own), body.id, answer.id, body.schema, answer.schema].join(" ");
  }

  function listOf(list: unknown): string {
    if (!Array.isArray(list)) return "-";
    return lists.idOf(list.map((parameter) => Number(parameters.idOf(withoutProse(parameter)))));
  }
}

function frameOf(published: Documents): unknown {
  const frames = new Map<string, unknown>();
  for (const { openapi, info, components } of published.openapi.values()) {
    const frame = withoutProse({ openapi, info, securitySchemes: components?.securitySchemes });
    frames.set(JSON.stringify(frame), frame);
  }
  if (frames.size !== 1)
    throw new Error(`The documents were expected to agree on openapi, info and securitySchemes: ${[...frames.keys()].join(", ")}`);
  return [...frames.values()][0];
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: unknown;
  readonly requestBody?: unknown;
  readonly responses?: unknown;
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: { readonly group: string; readonly version: string; readonly kind: string };
}

function operationsOf(item: PathItem): readonly (readonly [string, Operation])[] {
  return Object.entries(item)
    .filter(([method]) => method !== "parameters")
    .sort(([a], [b]) => byText(a, b))
    .map(([method, operation]) => {
      const { description: _, ...facts } = operation as Operation & { readonly description?: string };
      return [method, facts] as const;
    });
}

/** Values by number, in the order they were first seen. */
function numbered() {
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

/** A body or the responses with the one schema they speak of taken out. Descriptions of responses stay: OpenAPI asks for them. */
function templateOf(
  value: unknown,
  known: ReturnType<typeof numbered>,
  operation: string,
): { readonly id: string; readonly schema: string } {
  if (!isRecord(value)) return { id: "-", schema: "-" };
  const text = JSON.stringify(value);
  const schemas = new Set([...text.matchAll(REFERENCE)].map((match) => match[1]!));
  if (schemas.size > 1) throw new Error(`${operation} speaks of several schemas: ${[...schemas].join(", ")}`);
  return { id: known.idOf(JSON.parse(text.replace(REFERENCE, '"#/components/schemas/"'))), schema: [...schemas][0] ?? "-" };
}

function kindOf(place: string, gvk: Operation["x-kubernetes-group-version-kind"]): string {
  if (gvk === undefined) return "-";
  const groupVersion = gvk.group === "" ? gvk.version : `${gvk.group}/${gvk.version}`;
  return groupVersion === place.replace(/^apis?\//, "") ? gvk.kind : `${gvk.group}/${gvk.version}/${gvk.kind}`;
}

function tagOf(place: string, paths: Readonly<Record<string, PathItem>>): string {
  const tags = new Set(Object.values(paths).flatMap((item) => operationsOf(item).flatMap(([, operation]) => operation.tags)));
  if (tags.size !== 1) throw new Error(`${place}: the table has a place for one tag, not for ${[...tags].join(", ")}`);
  return [...tags][0]!;
}
