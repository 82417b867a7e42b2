import { type Client, Conflict, type DynamicKind, NotFound, RequestError } from "pintle/client";
import { isJsonObject } from "pintle/internal/json";
import { diffObjects } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import { parsePath } from "../objects/index.ts";
import type { ApplyRequest, ApplyResult, FieldProblem, JsonSchema, SchemaDetail, SchemaList } from "../protocol.ts";
import { ConsoleFailure, invalid, notFound, unsupported } from "../source/index.ts";
import { compact } from "./describe-commit.ts";
import { requestOf } from "./lab.ts";
import { type Definition, listDefinitions, ownResources } from "./objects.ts";
import { type RouteContext, requireState } from "./route-context.ts";

/** The field manager of everything that the page applies. */
export const FIELD_MANAGER = "pintle-console";
const MAX_OBJECTS = 100;

export function requireClient({ view: { source } }: RouteContext): Client {
  const { client } = source.actions;
  if (client === undefined) throw unsupported("This session cannot write.");
  return client;
}

/** Server-side apply of each object in turn. A dry run answers with the differences; nothing is applied after the first failure. */
export async function applyObjects(context: RouteContext): Promise<ApplyResult> {
  const { body, signal, view } = context;
  const client = requireClient(context);
  const { yaml, dryRun, force = false } = requestOf<ApplyRequest>(body);
  if (typeof yaml !== "string" || typeof dryRun !== "boolean" || typeof force !== "boolean") throw invalid("yaml and dryRun are needed.");
  const objects: ApplyResult["objects"][number][] = [];
  for (const object of parse(context, yaml)) {
    const kind = await discover(client, object, signal);
    const metadata = object["metadata"] as { readonly name: string; readonly namespace?: string };
    const placed = kind.scope === "Cluster" ? object : { ...object, metadata: { namespace: "default", ...metadata } };
    const ref = { name: metadata.name, namespace: (placed["metadata"] as { readonly namespace?: string }).namespace as string };
    const before = (await client.find(kind, ref, { signal })) as JsonObject | undefined;
    const after = (await client
      .apply(kind, placed as never, { fieldManager: FIELD_MANAGER, dryRun, force, signal })
      .catch(describeFailure)) as JsonObject;
    const key = `/registry/${kind.group.includes(".") ? `${kind.group}/` : ""}${kind.plural}/`;
    const path = `${kind.group === "" ? "core" : kind.group}/${kind.plural}/${kind.scope === "Cluster" ? "-" : ref.namespace}/${ref.name}`;
    const changes = compact(
      diffObjects(before === undefined ? undefined : view.source.redact(key, before), view.source.redact(key, after)),
    );
    objects.push({
      path,
      outcome: before === undefined ? "created" : changes.length === 0 ? "unchanged" : "changed",
      changes,
      revision: dryRun ? undefined : Number((after["metadata"] as JsonObject)["resourceVersion"]),
      warnings: [],
    });
  }
  return { objects };
}

function parse({ view: { source } }: RouteContext, yaml: string): readonly JsonObject[] {
  let objects: readonly JsonObject[];
  try {
    objects = source.actions.parseYaml?.(yaml) ?? [];
  } catch (error) {
    throw invalid(`The YAML cannot be read: ${(error as Error).message}`);
  }
  if (objects.length === 0) throw invalid("The YAML has no object.");
  if (objects.length > MAX_OBJECTS) throw invalid(`The YAML has more than ${MAX_OBJECTS} objects.`);
  for (const object of objects) {
    if (!isJsonObject(object) || typeof object["apiVersion"] !== "string" || typeof object["kind"] !== "string")
      throw invalid("Each object needs apiVersion and kind.", [{ path: ".apiVersion", message: "apiVersion and kind are needed" }]);
    const metadata = object["metadata"];
    if (!isJsonObject(metadata) || typeof metadata["name"] !== "string" || metadata["name"] === "")
      throw invalid("Each object needs a name.", [{ path: ".metadata.name", message: "Required value" }]);
  }
  return objects;
}

async function discover(client: Client, object: JsonObject, signal: AbortSignal): Promise<DynamicKind> {
  return client.discoverKind(String(object["apiVersion"]), String(object["kind"]), { signal }).catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error;
    throw invalid(`The cluster does not serve ${object["kind"]} of ${object["apiVersion"]}.`, [
      { path: ".kind", message: "is not served" },
    ]);
  });
}

/** A refusal of the API server, with its fields. */
function describeFailure(error: unknown): never {
  if (!(error instanceof RequestError)) throw error;
  const fields = (error.status?.details?.causes ?? []).map(
    ({ field = "", message = "" }): FieldProblem => ({ path: toPath(field), message }),
  );
  const code = error.statusCode === 0 ? 500 : error.statusCode;
  const reason =
    error instanceof Conflict ? "Conflict" : code === 403 ? "Forbidden" : code === 404 ? "NotFound" : code >= 500 ? "Internal" : "Invalid";
  throw new ConsoleFailure({ code, reason, message: error.status?.message ?? error.message, fields });
}

const toPath = (field: string) => (field === "" || field === "<nil>" ? "" : field.startsWith(".") ? field : `.${field}`);

export async function deleteObject(context: RouteContext): Promise<undefined> {
  const client = requireClient(context);
  const path = context.params["*"] ?? "";
  const parts = parsePath(path);
  if (parts === undefined) throw invalid(`${path} is no object path.`);
  const kinds = await client.discoverKinds({ signal: context.signal });
  const kind = kinds.find(({ group, plural }) => group === parts.group && plural === parts.resource);
  if (kind === undefined) throw notFound(`The cluster does not serve ${parts.resource}.`);
  await client.delete(kind, { name: parts.name, namespace: parts.namespace as string }, { signal: context.signal }).catch(describeFailure);
}

export async function applySamples({ view: { source } }: RouteContext): Promise<ApplyResult> {
  if (source.actions.applySamples === undefined) throw unsupported("This session has no samples.");
  return source.actions.applySamples();
}

// ---- Schemas

export function getSchemas(context: RouteContext): SchemaList {
  const own = ownResources(context);
  const schemas = listDefinitions(requireState(context)).flatMap(({ group, names, versions }) =>
    versions.map(({ name, schema }) => ({
      group,
      version: name,
      kind: names.kind,
      resource: names.plural,
      own: own.has(`${group}/${names.plural}`),
      description: String(schema?.openAPIV3Schema?.["description"] ?? ""),
    })),
  );
  return { schemas: schemas.sort((a, b) => Number(b.own) - Number(a.own) || (a.kind < b.kind ? -1 : 1)) };
}

const MAX_DEPTH = 12;

export function getSchema(context: RouteContext): SchemaDetail {
  const { group, version, kind } = context.params as { readonly group: string; readonly version: string; readonly kind: string };
  const definition = listDefinitions(requireState(context)).find((each) => each.group === group && each.names.kind === kind);
  const found = definition?.versions.find(({ name }) => name === version);
  if (definition === undefined || found === undefined)
    throw notFound(`No CustomResourceDefinition defines ${kind} of ${group}/${version}.`);
  const schema = (found.schema?.openAPIV3Schema ?? { type: "object" }) as JsonSchema;
  return {
    group,
    version,
    kind,
    resource: definition.names.plural,
    namespaced: definition.scope === "Namespaced",
    description: String(schema.description ?? ""),
    schema: cut(schema, MAX_DEPTH),
    sample: context.view.source.sampleOf?.(kind) ?? context.view.source.toYaml(minimalObject(definition, version, schema)),
    printerColumns: (found.additionalPrinterColumns ?? []).map(({ name, jsonPath }) => ({ name, path: jsonPath })),
  };
}

function cut(schema: JsonSchema, depth: number): JsonSchema {
  if (depth === 0) return { type: schema.type, description: schema.description };
  const { properties, items, additionalProperties, ...rest } = schema;
  return {
    ...rest,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, cut(each, depth - 1)])) }),
    ...(items === undefined ? {} : { items: cut(items, depth - 1) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: typeof additionalProperties === "boolean" ? additionalProperties : cut(additionalProperties, depth - 1) }),
  };
}

/** The required fields of a schema, with defaults or empty values. */
function minimalObject({ group, names, scope }: Definition, version: string, schema: JsonSchema): JsonObject {
  const metadata = { name: `${names.kind.toLowerCase()}-sample`, ...(scope === "Namespaced" ? { namespace: "default" } : {}) };
  const spec = schema.properties?.["spec"];
  return {
    apiVersion: `${group}/${version}`,
    kind: names.kind,
    metadata,
    ...(spec === undefined ? {} : { spec: minimalValue(spec, 6) as JsonObject }),
  };
}

function minimalValue(schema: JsonSchema, depth: number): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        (depth === 0 ? [] : (schema.required ?? [])).flatMap((name) => {
          const each = schema.properties?.[name];
          return each === undefined ? [] : [[name, minimalValue(each, depth - 1)]];
        }),
      );
    case "array":
      return [];
    case "integer":
    case "number":
      return schema.minimum ?? 0;
    case "boolean":
      return false;
    default:
      return "";
  }
}
