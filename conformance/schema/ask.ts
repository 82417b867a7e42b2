import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "pintle/kinds";
import { type Answer, type Case, crdOf, group, named, type Suite } from "../../packages/cluster/test/schema/suite.ts";
import type { Reply, Server } from "./http.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** The answers of a server to every case, by suite. */
export async function askAll(server: Server, suites: readonly Suite[]): Promise<ReadonlyMap<string, readonly Answer[]>> {
  const queue = [...suites];
  const answers = new Map<string, readonly Answer[]>();
  const work = async () => {
    for (let suite = queue.shift(); suite !== undefined; suite = queue.shift()) answers.set(suite.name, await askSuite(server, suite));
  };
  // A server takes its time to publish a CRD, so several are under way.
  await Promise.all(Array.from({ length: 8 }, work));
  return answers;
}

async function askSuite(server: Server, suite: Suite): Promise<Answer[]> {
  const name = `${suite.name}.${group}`;
  const resource = `/apis/${group}/v1/${suite.name}`;
  await create(server, crdOf(suite, suite.before ?? suite.schema));
  await until(async () => (await server.send("GET", resource)).code === 200);
  try {
    const olds: (JsonObject | undefined)[] = [];
    for (const [i, one] of suite.cases.entries()) olds.push(one.old && (await store(server, suite, one, i)));
    if (suite.before !== undefined) await tighten(server, suite);
    const answers: Answer[] = [];
    for (const [i, one] of suite.cases.entries()) answers.push(await askCase(server, suite, one, i, olds[i]));
    return answers;
  } finally {
    await server.send("DELETE", `${crds}/${name}`);
  }
}

/** What a server says about a CRD. */
export async function askAboutCrd(server: Server, crd: JsonObject): Promise<Answer> {
  return answer(await server.send("POST", `${crds}?dryRun=All`, crd), "spec");
}

async function askCase(server: Server, suite: Suite, one: Case, index: number, old: JsonObject | undefined): Promise<Answer> {
  const query = `?dryRun=All&fieldValidation=${one.strict ? "Strict" : "Warn"}`;
  const resource = `/apis/${group}/v1/${suite.name}`;
  const object = named(suite, one.object, index);
  if (old === undefined) return answer(await server.send("POST", resource + query, object));
  const metadata = { ...(object["metadata"] as JsonObject), resourceVersion: (old["metadata"] as JsonObject)["resourceVersion"]! };
  const path = `${resource}/case-${index}${one.status ? "/status" : ""}`;
  return answer(await server.send("PUT", path + query, { ...object, metadata }));
}

async function store(server: Server, suite: Suite, one: Case, index: number): Promise<JsonObject> {
  const resource = `/apis/${group}/v1/${suite.name}`;
  const object = named(suite, one.old!, index);
  let { code, body } = await server.send("POST", resource, object);
  if (code !== 201) throw new Error(`${suite.name}/${one.name}: the old object was refused: ${body["message"]}`);
  if ("status" in one.old! && suite.version?.["subresources"]) {
    ({ code, body } = await server.send("PUT", `${resource}/case-${index}/status`, { ...body, status: one.old["status"]! }));
    if (code !== 200) throw new Error(`${suite.name}/${one.name}: the old status was refused: ${body["message"]}`);
  }
  return body;
}

/** Replaces the schema, with a field more by which to see that it is in force. */
async function tighten(server: Server, suite: Suite): Promise<void> {
  const { properties } = suite.schema;
  const schema = { ...suite.schema, properties: { ...(properties as JsonObject), probe: { type: "boolean" } } };
  const { spec } = crdOf(suite, schema);
  const { code, body } = await server.send("PATCH", `${crds}/${suite.name}.${group}`, { spec: spec! }, "application/merge-patch+json");
  if (code !== 200) throw new Error(`${suite.name}: the new schema was refused: ${body["message"]}`);
  const probe = { ...named(suite, { probe: true }, -1) };
  await until(async () => {
    const { body } = await server.send("POST", `/apis/${group}/v1/${suite.name}?dryRun=All&fieldValidation=Strict`, probe);
    return !String(body["message"] ?? "").includes('unknown field "probe"');
  });
}

async function create(server: Server, crd: JsonObject): Promise<void> {
  const { code, body } = await server.send("POST", crds, crd);
  if (code !== 201) throw new Error(`${(crd["metadata"] as JsonObject)["name"]}: the CRD was refused: ${body["message"]}`);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (await holds()) return;
    await delay(50);
  }
  throw new Error("the server did not get there within ten seconds");
}

function answer({ code, body, warnings }: Reply, only?: string): Answer {
  if (code < 300) {
    const { apiVersion: _, kind: __, metadata: ___, ...rest } = body;
    const object = only === undefined ? rest : { [only]: body[only]! };
    return { code, object, ...(warnings.length > 0 && { warnings }) };
  }
  const causes = (body["details"] as { causes?: JsonObject[] } | undefined)?.causes;
  return { code, reason: body["reason"] as string, message: body["message"] as string, ...(causes && { causes }) };
}
