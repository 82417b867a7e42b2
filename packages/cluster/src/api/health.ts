import { PageNotFound } from "./page-not-found.ts";
import type { ApiAnswer, Query } from "./request.ts";

const CHECKS: Readonly<Record<string, readonly string[]>> = {
  healthz: ["ping", "log", "etcd"],
  livez: ["ping", "log", "etcd"],
  readyz: ["ping", "log", "etcd", "informer-sync", "shutdown"],
};

/** /healthz, /livez, /readyz and their single checks. A server that answers has all its parts running. */
export function health(root: string, rest: readonly string[], query: Query): ApiAnswer {
  const checks = CHECKS[root] as readonly string[];
  if (rest.length > 1 || (rest[0] !== undefined && !checks.includes(rest[0]))) throw new PageNotFound();
  if (rest.length === 1 || !query.has("verbose")) return text("ok");
  return text(`${checks.map((check) => `[+]${check} ok\n`).join("")}${root} check passed\n`);
}

function text(body: string): ApiAnswer {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return { status: 200, headers, body: { type: "bytes", bytes: Buffer.from(body) } };
}
