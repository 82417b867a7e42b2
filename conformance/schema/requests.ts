import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "pintle/kinds";
import {
  createCrd,
  createObject,
  group,
  type SchemaCase,
  type SchemaResponse,
  type SchemaSuite,
} from "../../packages/cluster/test/schema/suite.ts";
import type { HttpReply, HttpServer } from "./http.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Returns the responses of a server to every case, by suite. */
export async function requestAll(
  server: HttpServer,
  suites: readonly SchemaSuite[],
): Promise<ReadonlyMap<string, readonly SchemaResponse[]>> {
  const queue = [...suites];
  const answers = new Map<string, readonly SchemaResponse[]>();
  const work = async () => {
    for (let suite = queue.shift(); suite !== undefined; suite = queue.shift()) answers.set(suite.name, await requestSuite(server, suite));
  };
  // A server takes time to publish a CRD, so several are processed concurrently.
  await Promise.all(Array.from({ length: 8 }, work));
  return answers;
}

async function requestSuite(server: HttpServer, suite: SchemaSuite): Promise<SchemaResponse[]> {
  const name = `${suite.name}.${group}`;
  const resource = `/apis/${group}/v1/${suite.name}`;
  await create(server, createCrd(suite, suite.before ?? suite.schema));
  await waitUntil(async () => (await server.send("GET", resource)).code === 200);
  try {
    const olds: (JsonObject | undefined)[] = [];
    for (const [i, one] of suite.cases.entries()) olds.push(one.old && (await store(server, suite, one, i)));
    if (suite.before !== undefined) await replaceSchema(server, suite);
    const answers: SchemaResponse[] = [];
    for (const [i, one] of suite.cases.entries()) answers.push(await requestCase(server, suite, one, i, olds[i]));
    return answers;
  } finally {
    await server.send("DELETE", `${crds}/${name}`);
  }
}

/** Returns a server's response to a CRD. */
export async function requestCrd(server: HttpServer, crd: JsonObject): Promise<SchemaResponse> {
  return toSchemaResponse(await server.send("POST", `${crds}?dryRun=All`, crd), "spec");
}

async function requestCase(
  server: HttpServer,
  suite: SchemaSuite,
  one: SchemaCase,
  index: number,
  old: JsonObject | undefined,
): Promise<SchemaResponse> {
  const query = `?dryRun=All&fieldValidation=${one.strict ? "Strict" : "Warn"}`;
  const resource = `/apis/${group}/v1/${suite.name}`;
  const object = createObject(suite, one.object, index);
  if (old === undefined) return toSchemaResponse(await server.send("POST", resource + query, object));
  const metadata = { ...(object["metadata"] as JsonObject), resourceVersion: (old["metadata"] as JsonObject)["resourceVersion"]! };
  const path = `${resource}/case-${index}${one.status ? "/status" : ""}`;
  return toSchemaResponse(await server.send("PUT", path + query, { ...object, metadata }));
}

async function store(server: HttpServer, suite: SchemaSuite, one: SchemaCase, index: number): Promise<JsonObject> {
  const resource = `/apis/${group}/v1/${suite.name}`;
  const object = createObject(suite, one.old!, index);
  let { code, body } = await server.send("POST", resource, object);
  if (code !== 201) throw new Error(`${suite.name}/${one.name}: the old object was rejected: ${body["message"]}`);
  if ("status" in one.old! && suite.version?.["subresources"]) {
    ({ code, body } = await server.send("PUT", `${resource}/case-${index}/status`, { ...body, status: one.old["status"]! }));
    if (code !== 200) throw new Error(`${suite.name}/${one.name}: the old status was rejected: ${body["message"]}`);
  }
  return body;
}

/** Replaces the schema, and adds a field that shows when the new schema is in effect. */
async function replaceSchema(server: HttpServer, suite: SchemaSuite): Promise<void> {
  const { properties } = suite.schema;
  const schema = { ...suite.schema, properties: { ...(properties as JsonObject), probe: { type: "boolean" } } };
  const { spec } = createCrd(suite, schema);
  const { code, body } = await server.send("PATCH", `${crds}/${suite.name}.${group}`, { spec: spec! }, "application/merge-patch+json");
  if (code !== 200) throw new Error(`${suite.name}: the new schema was rejected: ${body["message"]}`);
  const probe = { ...createObject(suite, { probe: true }, -1) };
  await waitUntil(async () => {
    const { body } = await server.send("POST", `/apis/${group}/v1/${suite.name}?dryRun=All&fieldValidation=Strict`, probe);
    return !String(body["message"] ?? "").includes('unknown field "probe"');
  });
}

async function create(server: HttpServer, crd: JsonObject): Promise<void> {
  const { code, body } = await server.send("POST", crds, crd);
  if (code !== 201) throw new Error(`${(crd["metadata"] as JsonObject)["name"]}: the CRD was rejected: ${body["message"]}`);
}

async function waitUntil(holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (await holds()) return;
    await delay(50);
  }
  throw new Error("the server did not reach the expected state within ten seconds");
}

function toSchemaResponse({ code, body, warnings }: HttpReply, only?: string): SchemaResponse {
  if (code < 300) {
    const { apiVersion: _, kind: __, metadata: ___, ...rest } = body;
    const object = only === undefined ? rest : { [only]: body[only]! };
    return { code, object, ...(warnings.length > 0 && { warnings }) };
  }
  const causes = (body["details"] as { causes?: JsonObject[] } | undefined)?.causes;
  return { code, reason: body["reason"] as string, message: body["message"] as string, ...(causes && { causes }) };
}
