/** Returns `undefined` if the check passes, else the reason of the failure. */
export type HealthCheck = () => string | undefined;
export interface HealthChecks {
  readonly [name: string]: HealthCheck;
}
export interface ProbeResponse {
  readonly status: number;
  readonly body: string;
}

/**
 * Handles a probe endpoint as kube-apiserver does: `/readyz` runs all checks, `/readyz/caches` one; `?verbose` lists them, `?exclude=name` leaves one
 * out. The reason of a failure is passed to `onFailure` for the log, not to the client.
 */
export function handleProbe(
  endpoint: string,
  checks: HealthChecks,
  url: URL,
  onFailure: (name: string, reason: string) => void,
): ProbeResponse | undefined {
  const run = (name: string, check: HealthCheck) => {
    const reason = check();
    if (reason !== undefined) onFailure(name, reason);
    return reason === undefined;
  };
  if (url.pathname.startsWith(`${endpoint}/`)) {
    const name = url.pathname.slice(endpoint.length + 1);
    const check = name === "ping" ? () => undefined : checks[name];
    if (check === undefined) return { status: 404, body: `no check is named ${name}\n` };
    return run(name, check) ? { status: 200, body: "ok" } : { status: 500, body: "internal server error: reason withheld\n" };
  }
  if (url.pathname !== endpoint) return undefined;
  const excluded = new Set(url.searchParams.getAll("exclude"));
  const all = Object.entries({ ping: () => undefined, ...checks });
  const lines = all.map(([name, check]) => {
    if (excluded.has(name)) return { passed: true, text: `[+]${name} excluded: ok` };
    return run(name, check) ? { passed: true, text: `[+]${name} ok` } : { passed: false, text: `[-]${name} failed: reason withheld` };
  });
  const passed = lines.every((line) => line.passed);
  const unknown = [...excluded]
    .filter((name) => !all.some(([known]) => known === name))
    .map((name) => `warn: no check is named ${name}, so it was not excluded`);
  const name = endpoint.slice(1);
  if (passed && !url.searchParams.has("verbose")) return { status: 200, body: "ok" };
  const body = [...lines.map((line) => line.text), ...unknown, `${name} check ${passed ? "passed" : "failed"}`].join("\n");
  return { status: passed ? 200 : 500, body: `${body}\n` };
}
