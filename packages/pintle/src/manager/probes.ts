/** A check gives undefined when all is well, else what is wrong. */
export type Check = () => string | undefined;
export interface Checks {
  readonly [name: string]: Check;
}
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/**
 * What a probe endpoint says: `/readyz` all checks together, `/readyz/caches` one of them; `?verbose` lists them,
 * `?exclude=name` leaves one out. Why a check failed is not told to strangers: it is in the log.
 */
export function probe(endpoint: string, checks: Checks, url: URL, failed: (name: string, why: string) => void): Answer | undefined {
  const run = (name: string, check: Check) => {
    const why = check();
    if (why !== undefined) failed(name, why);
    return why === undefined;
  };
  if (url.pathname.startsWith(`${endpoint}/`)) {
    const name = url.pathname.slice(endpoint.length + 1);
    const check = name === "ping" ? () => undefined : checks[name];
    if (check === undefined) return { status: 404, body: `no check is called ${name}\n` };
    return run(name, check) ? { status: 200, body: "ok" } : { status: 500, body: "internal server error: reason withheld\n" };
  }
  if (url.pathname !== endpoint) return undefined;
  const excluded = new Set(url.searchParams.getAll("exclude"));
  const all = Object.entries({ ping: () => undefined, ...checks });
  const lines = all.map(([name, check]) => {
    if (excluded.has(name)) return { well: true, text: `[+]${name} excluded: ok` };
    return run(name, check) ? { well: true, text: `[+]${name} ok` } : { well: false, text: `[-]${name} failed: reason withheld` };
  });
  const well = lines.every((line) => line.well);
  const unknown = [...excluded]
    .filter((name) => !all.some(([known]) => known === name))
    .map((name) => `warn: no check is called ${name}, so it was not excluded`);
  const name = endpoint.slice(1);
  if (well && !url.searchParams.has("verbose")) return { status: 200, body: "ok" };
  const body = [...lines.map((line) => line.text), ...unknown, `${name} check ${well ? "passed" : "failed"}`].join("\n");
  return { status: well ? 200 : 500, body: `${body}\n` };
}
