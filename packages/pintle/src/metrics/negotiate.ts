/** A format of a scrape: its content type, and whether it is OpenMetrics. */
export interface MetricsFormat {
  readonly type: string;
  readonly isOpenMetrics: boolean;
}

/** The Prometheus text format: what a client gets that does not ask for another one. */
export const TEXT_FORMAT: MetricsFormat = { type: "text/plain; version=0.0.4; charset=utf-8", isOpenMetrics: false };

/** Versions of OpenMetrics; a client that names none takes the current one. */
const OPEN_METRICS: ReadonlyMap<string | undefined, string> = new Map([
  [undefined, "1.0.0"],
  ["1.0.0", "1.0.0"],
  ["0.0.1", "0.0.1"],
]);

/** Returns the format that an `Accept` header prefers among those that exist, as promhttp of client_golang does with EnableOpenMetrics. */
export function negotiateFormat(accept: string | undefined): MetricsFormat {
  const clauses = (accept ?? "").split(",").map(parseClause);
  for (const { type, version, quality } of clauses.toSorted((a, b) => b.quality - a.quality)) {
    if (quality === 0) continue;
    if (type === "text/plain" && (version === undefined || version === "0.0.4")) return TEXT_FORMAT;
    const found = type === "application/openmetrics-text" ? OPEN_METRICS.get(version) : undefined;
    if (found !== undefined) return { type: `application/openmetrics-text; version=${found}; charset=utf-8`, isOpenMetrics: true };
  }
  return TEXT_FORMAT;
}

function parseClause(clause: string) {
  const [type = "", ...parameters] = clause.split(";").map((part) => part.trim().toLowerCase());
  const parameterOf = (name: string) =>
    parameters
      .find((each) => each.startsWith(`${name}=`))
      ?.slice(name.length + 1)
      .replaceAll('"', "");
  const quality = Number(parameterOf("q") ?? 1);
  return { type, version: parameterOf("version"), quality: quality >= 0 && quality <= 1 ? quality : 0 };
}
