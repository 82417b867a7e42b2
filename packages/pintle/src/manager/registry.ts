import type { Told } from "../controller/index.ts";

/** Values of a metric's labels, in the order the labels were declared. */
export type LabelValues = readonly string[];

interface Metric {
  /** Forgets one series: what it was about is gone. */
  remove(labels: LabelValues): void;
}
export interface Counter extends Metric {
  add(labels: LabelValues, by?: number): void;
  /** For what somebody else counts. */
  set(labels: LabelValues, value: number): void;
}
export interface Gauge extends Metric {
  set(labels: LabelValues, value: number): void;
  /** Forgets every series: for gauges that are filled anew at each scrape. */
  clear(): void;
}
export interface Histogram extends Metric {
  observe(labels: LabelValues, value: number): void;
}

interface Series {
  readonly labels: LabelValues;
  value: number;
  /** Of a histogram: how many fell into each bucket, and how many in all. */
  readonly counts: number[];
  count: number;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/**
 * Metrics in the text format of Prometheus: a manager's, or those of a controller's own (`controller(Kind, { metrics })`). No globals: two
 * managers in a process have two of these.
 */
export function registry() {
  const metrics: { readonly name: string; text(): string }[] = [];
  const before: (() => void)[] = [];
  const included: Told[] = [];

  const family = (name: string, help: string, type: string, names: readonly string[], lines: (series: Series) => string[]) => {
    if (!NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} is no name for a metric: use letters, digits, "_" and ":"`);
    if (metrics.some((each) => each.name === name)) throw new TypeError(`there are two metrics named ${name}`);
    const all = new Map<string, Series>();
    metrics.push({
      name,
      text: () => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...[...all.values()].flatMap(lines)].join("\n"),
    });
    return {
      clear: () => all.clear(),
      remove: (labels: LabelValues) => void all.delete(labels.join("\u0000")),
      of(labels: LabelValues): Series {
        const key = labels.join("\u0000");
        let series = all.get(key);
        if (series === undefined) {
          if (labels.length !== names.length) throw new TypeError(`metric ${name} has the labels ${names.join(", ")}`);
          series = { labels, value: 0, counts: [], count: 0 };
          all.set(key, series);
        }
        return series;
      },
    };
  };
  const one = (name: string, names: readonly string[]) => (series: Series) => [
    `${name}${labelText(names, series.labels)} ${number(series.value)}`,
  ];

  return {
    counter(name: string, help: string, labels: readonly string[] = []): Counter {
      const found = family(name, help, "counter", labels, one(name, labels));
      return {
        remove: found.remove,
        add(values, by = 1) {
          found.of(values).value += by;
        },
        set(values, value) {
          found.of(values).value = value;
        },
      };
    },
    gauge(name: string, help: string, labels: readonly string[] = []): Gauge {
      const found = family(name, help, "gauge", labels, one(name, labels));
      return {
        clear: found.clear,
        remove: found.remove,
        set(values, value) {
          found.of(values).value = value;
        },
      };
    },
    histogram(name: string, help: string, labels: readonly string[], buckets: readonly number[]): Histogram {
      const lines = ({ labels: values, value, counts, count }: Series) => {
        let sum = 0;
        const upTo = buckets.map((bound, i) => {
          sum += counts[i] ?? 0;
          return `${name}_bucket${labelText([...labels, "le"], [...values, number(bound)])} ${sum}`;
        });
        const all = labelText(labels, values);
        return [
          ...upTo,
          `${name}_bucket${labelText([...labels, "le"], [...values, "+Inf"])} ${count}`,
          `${name}_sum${all} ${number(value)}`,
          `${name}_count${all} ${count}`,
        ];
      };
      const found = family(name, help, "histogram", labels, lines);
      return {
        remove: found.remove,
        observe(values, value) {
          const series = found.of(values);
          series.value += value;
          series.count++;
          const at = buckets.findIndex((bound) => value <= bound);
          if (at >= 0) series.counts[at] = (series.counts[at] ?? 0) + 1;
        },
      };
    },
    /** Tells another's metrics with its own; a name that both have is an error. */
    include(other: Told): void {
      const twice = other.names().find((name) => metrics.some((each) => each.name === name));
      if (twice !== undefined) throw new TypeError(`there are two metrics named ${twice}`);
      included.push(other);
    },
    names: () => metrics.map(({ name }) => name),
    /** Called before each scrape: for what is looked up rather than counted. */
    before: (look: () => void) => void before.push(look),
    text(): string {
      for (const look of before) look();
      const own = metrics.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((metric) => `${metric.text()}\n`);
      return [...own, ...included.map((each) => each.text())].join("");
    },
  };
}
export type Registry = ReturnType<typeof registry>;

function labelText(names: readonly string[], values: LabelValues): string {
  if (names.length === 0) return "";
  return `{${names.map((name, i) => `${name}="${escaped(values[i]!)}"`).join(",")}}`;
}
const escaped = (value: string) => value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
const number = (value: number) => (Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : value < 0 ? "-Inf" : "NaN");
