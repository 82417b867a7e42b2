import type { JsonObject } from "pintle/kinds";
import { virtualClock } from "pintle/queue";
import { ADMIN } from "../../src/api/index.ts";
import { startCluster } from "../../src/index.ts";
import type { Send } from "./script.ts";

/** The embedded server, with its clock standing at `now`. */
export async function ours(now: number): Promise<Send> {
  const { server } = await startCluster({ clock: virtualClock(now) });
  return async ({ method, path, body, type, accept }) => {
    const url = new URL(path, "http://cluster");
    const query = new Map([...url.searchParams.keys()].map((key) => [key, url.searchParams.getAll(key)]));
    const answer = await server.handle({
      method,
      path: url.pathname,
      query,
      headers: { "content-type": type ?? "application/json", accept: accept ?? "application/json", "user-agent": "test" },
      user: ADMIN,
      body: body === undefined ? undefined : { json: JSON.parse(JSON.stringify(body)) },
      signal: new AbortController().signal,
    });
    const value = answer.body.type === "json" ? answer.body.value : {};
    const warnings = [answer.headers["warning"] ?? []]
      .flat()
      .map((header) => /299 - "((?:[^"\\]|\\.)*)"/.exec(header)![1]!.replace(/\\(.)/g, "$1"));
    return { code: answer.status, body: JSON.parse(JSON.stringify(value)) as JsonObject, warnings };
  };
}
