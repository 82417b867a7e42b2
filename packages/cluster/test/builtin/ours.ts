import type { JsonObject } from "pintle/kinds";
import { virtualClock } from "pintle/queue";
import { chain } from "../../src/admission/index.ts";
import { ADMIN, apiServer, versionInfo } from "../../src/api/index.ts";
import { bootstrap } from "../../src/bootstrap/index.ts";
import { builtinAdmission, builtinResources, followServices, serviceAddresses } from "../../src/builtin/index.ts";
import { memoryStore } from "../../src/store/index.ts";
import type { Send } from "./script.ts";

const openapi = () => ({ index: async () => new Map<string, string>(), document: async () => undefined, swagger: async () => ({}) });

/** Suites about what a stock server's own admission does; all others go without. */
export const WITH_ADMISSION: ReadonlySet<string> = new Set(["admission"]);

/** The embedded API server alone, with its clock standing at `now`. */
export async function ours(now: number, suite = ""): Promise<Send> {
  const store = memoryStore();
  const clock = virtualClock(now);
  const random = Math.random;
  const stock = WITH_ADMISSION.has(suite);
  if (stock) await bootstrap(store, { now, random });
  // Those that cases ask for are far from here.
  const addresses = serviceAddresses(() => 0);
  await followServices(store, addresses);
  const authorizer = { authorize: async () => ({ allowed: true }) };
  const server = await apiServer({
    store,
    clock,
    random,
    authorizer,
    resources: builtinResources({ store, addresses }),
    openapi,
    version: versionInfo("v1.36.3"),
    admission: stock ? chain(builtinAdmission({ store, clock, random, authorizer })) : [],
  });
  return async ({ method, path, body, type, accept }) => {
    const url = new URL(path, "http://cluster");
    const answer = await server.handle({
      method,
      path: url.pathname,
      query: new Map([...url.searchParams.keys()].map((key) => [key, url.searchParams.getAll(key)])),
      headers: { "content-type": type ?? "application/json", accept: accept ?? "application/json", "user-agent": "test" },
      user: ADMIN,
      body: body === undefined ? undefined : { json: JSON.parse(JSON.stringify(body)) },
      signal: () => new AbortController().signal,
    });
    const value = answer.body.type === "json" ? answer.body.value : {};
    return { code: answer.status, body: JSON.parse(JSON.stringify(value)) as JsonObject, warnings: warnings(answer.headers["warning"]) };
  };
}

function warnings(headers: string | readonly string[] | undefined): readonly string[] {
  return [headers ?? []].flat().map((header) => /299 - "((?:[^"\\]|\\.)*)"/.exec(header)![1]!.replace(/\\(.)/g, "$1"));
}
