import type { ApiResponse, QueryParameters } from "../request/api-request.ts";
import { PathNotFound } from "./path-not-found.ts";

/** The checks of each endpoint, in order. */
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  healthz: ["ping", "log", "etcd"],
  livez: ["ping", "log", "etcd"],
  readyz: ["ping", "log", "etcd", "etcd-readiness", "informer-sync", "shutdown"],
};
/** The checks of the store, whatever its backend; the others succeed on a server that responds. */
const STORE_CHECKS: ReadonlySet<string> = new Set(["etcd", "etcd-readiness"]);
const STORE_TIMEOUT_MS = 2000;

/** Serves /healthz, /livez, /readyz and their single checks: 500 while the store does not respond or its last write failed. */
export async function serveHealth(
  root: string,
  rest: readonly string[],
  query: QueryParameters,
  checkStore: () => Promise<void>,
): Promise<ApiResponse> {
  const checks = CHECKS[root] as readonly string[];
  const [single] = rest;
  if (rest.length > 1 || (single !== undefined && !checks.includes(single))) throw new PathNotFound();
  const excluded = new Set(single === undefined ? query.get("exclude") : []);
  const selected = (single === undefined ? checks : [single]).filter((check) => !excluded.has(check));
  const problem = selected.some((check) => STORE_CHECKS.has(check)) ? await findStoreProblem(checkStore) : undefined;
  if (single !== undefined) {
    return problem === undefined ? textResponse(200, "ok") : textResponse(500, `internal server error: ${problem}\n`);
  }
  if (problem === undefined && !query.has("verbose")) return textResponse(200, "ok");
  const lines = checks.map((check) => {
    if (excluded.has(check)) return `[+]${check} excluded: ok\n`;
    return problem !== undefined && STORE_CHECKS.has(check) ? `[-]${check} failed: reason withheld\n` : `[+]${check} ok\n`;
  });
  const unknown = [...excluded].filter((check) => !checks.includes(check)).map((check) => JSON.stringify(check));
  const warning = unknown.length > 0 ? `warn: some health checks cannot be excluded: no matches for ${unknown.join(", ")}\n` : "";
  const text = `${lines.join("")}${warning}${root} check ${problem === undefined ? "passed" : "failed"}\n`;
  return textResponse(problem === undefined ? 200 : 500, text);
}

/** Returns why the store is not healthy. */
async function findStoreProblem(checkStore: () => Promise<void>): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`the store did not respond within ${STORE_TIMEOUT_MS} ms`), STORE_TIMEOUT_MS);
  });
  const checked = checkStore().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  try {
    return await Promise.race([checked, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function textResponse(status: number, body: string): ApiResponse {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return { status, headers, body: { type: "bytes", bytes: Buffer.from(body) } };
}
