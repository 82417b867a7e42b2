import { readFileSync } from "node:fs";
import { parse } from "yaml";

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly severity: string;
  readonly runbook: string;
}
/** Samples by metric name, each with its labels as text. */
export type Scrape = ReadonlyMap<string, ReadonlyMap<string, number>>;

export function readRules(file: string): readonly AlertRule[] {
  const { spec } = parse(readFileSync(file, "utf8")) as {
    readonly spec: { readonly groups: readonly { readonly rules: readonly RawRule[] }[] };
  };
  return spec.groups
    .flatMap(({ rules }) => rules)
    .map(({ alert, expr, labels, annotations }) => ({ alert, expr, severity: labels.severity, runbook: annotations.runbook_url }));
}
interface RawRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook_url: string };
}

/** Parses the Prometheus text format. */
export function parseScrape(text: string): Scrape {
  const found = new Map<string, Map<string, number>>();
  for (const line of text.split("\n")) {
    const [, name, labels = "", value] = /^([a-zA-Z_:][\w:]*)(\{.*\})? (\S+)/.exec(line) ?? [];
    if (name === undefined) continue;
    const series = found.get(name) ?? new Map<string, number>();
    found.set(name, series.set(labels, Number(value)));
  }
  return found;
}

const METRIC = "[a-z_]+";
const EXPRESSION = new RegExp(`^(?:(${METRIC})(?: / (${METRIC}))?|increase\\((${METRIC})\\[\\w+\\]\\)) (==|>|<) ([\\d.]+)$`);

/**
 * Evaluates an alert rule on the current scrape and on the scrape at the beginning of its range. Supports only the expressions that our
 * rules use; throws on any other, so that a rule that no test can evaluate is not written.
 */
export function isFiring({ alert, expr }: AlertRule, now: Scrape, before: Scrape): boolean {
  const [, metric, divisor, counter, op, limit] = EXPRESSION.exec(expr) ?? [];
  if (op === undefined) throw new Error(`${alert}: cannot be checked: ${expr}`);
  const series = (name: string): ReadonlyMap<string, number> => {
    const found = now.get(name);
    if (found === undefined) throw new Error(`${alert}: no exporter reports ${name}`);
    return found;
  };
  const values =
    counter !== undefined
      ? [...series(counter)].map(([labels, value]) => value - (before.get(counter)?.get(labels) ?? 0))
      : [...series(metric!)].map(([labels, value]) =>
          divisor === undefined ? value : value / (series(divisor).get(labels) ?? Number.NaN),
        );
  const comparisons = {
    "==": (v: number) => v === Number(limit),
    ">": (v: number) => v > Number(limit),
    "<": (v: number) => v < Number(limit),
  };
  return values.some(comparisons[op as keyof typeof comparisons]);
}
