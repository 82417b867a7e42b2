import { virtualClock } from "pintle/internal/clock";
import type { JsonObject } from "pintle/kinds";
import { orderAdmissionPlugins } from "../../src/admission/index.ts";
import { ADMIN, createApiServer, parseVersionInfo } from "../../src/api/index.ts";
import { createBootstrapObjects } from "../../src/bootstrap/index.ts";
import { createBuiltinAdmissionPlugins, createBuiltinResources, createServiceAllocator, watchServices } from "../../src/builtin/index.ts";
import { createMemoryStore } from "../../src/store/index.ts";
import type { SendRequest } from "./run-case.ts";

const openapi = () => ({ index: async () => new Map<string, string>(), document: async () => undefined, swagger: async () => ({}) });

/** Suites that run with the default admission plugins; all others run without. */
export const SUITES_WITH_ADMISSION: ReadonlySet<string> = new Set(["admission"]);

/** Starts the embedded API server without controllers; its clock stands at `now`. */
export async function startEmbeddedServer(now: number, suite = ""): Promise<SendRequest> {
  const store = createMemoryStore();
  const clock = virtualClock(now);
  const random = Math.random;
  const stock = SUITES_WITH_ADMISSION.has(suite);
  if (stock) await createBootstrapObjects(store, { now, random });
  // Allocates from the start of the range; cases request addresses far from it.
  const serviceAllocator = createServiceAllocator(() => 0);
  await watchServices(store, serviceAllocator);
  const authorizer = { authorize: () => ({ allowed: true }) };
  const server = await createApiServer({
    store,
    clock,
    random,
    authorizer,
    resources: createBuiltinResources({ store, serviceAllocator }),
    openapi,
    version: parseVersionInfo("v1.36.3"),
    admission: stock
      ? orderAdmissionPlugins(createBuiltinAdmissionPlugins({ store, clock, random, authorizer, createNamespace: async () => undefined }))
      : [],
  });
  return async ({ method, path, body, type, accept }) => {
    const url = new URL(path, "http://cluster");
    const response = await server.handle({
      method,
      path: url.pathname,
      query: new Map([...url.searchParams.keys()].map((key) => [key, url.searchParams.getAll(key)])),
      headers: { "content-type": type ?? "application/json", accept: accept ?? "application/json", "user-agent": "test" },
      user: ADMIN,
      body: body === undefined ? undefined : { json: JSON.parse(JSON.stringify(body)) },
      signal: () => new AbortController().signal,
    });
    const value = response.body.type === "json" ? response.body.value : {};
    return {
      code: response.status,
      body: JSON.parse(JSON.stringify(value)) as JsonObject,
      warnings: parseWarnings(response.headers["warning"]),
    };
  };
}

function parseWarnings(headers: string | readonly string[] | undefined): readonly string[] {
  return [headers ?? []].flat().map((header) => /299 - "((?:[^"\\]|\\.)*)"/.exec(header)![1]!.replace(/\\(.)/g, "$1"));
}
