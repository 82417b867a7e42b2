import type { BenchmarkResult } from "../benchmark.ts";
import { fitGrowth, type GrowthCurve } from "./growth-curve.ts";
import { formatNumber } from "./spread.ts";
import type { Column, Table } from "./table.ts";

const WIDTH = 880;
const LEFT = 350;
const BAR_HEIGHT = 14;
const GAP = 4;
const COLORS: Readonly<Record<string, string>> = {
  pintle: "#2f6fde",
  "controller-runtime": "#00a29c",
  "kube-rs": "#c8663a",
  kopf: "#8a6fc9",
  "client-node": "#7d8a97",
  pepr: "#c94f7c",
  "kube-apiserver": "#00a29c",
};
const STYLE = `text{font:11px system-ui,sans-serif;fill:#24292f}.t{font-weight:600;font-size:13px}.d{fill:#6e7781}.l{stroke:#6e7781;stroke-width:1}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.d{fill:#9198a1}.l{stroke:#9198a1}}`;

/** Renders a benchmark as one SVG: a bar chart per column, with whiskers from minimum to maximum, and a plot per growth curve. */
export function renderChart({ tables, curves = [] }: BenchmarkResult): string {
  const parts: string[] = [];
  let y = 8;
  for (const table of tables) {
    for (const column of table.columns) {
      const block = renderBars(table, column, y);
      parts.push(block.svg);
      y = block.end;
    }
  }
  for (const title of new Set(curves.map((curve) => curve.title))) {
    const block = renderPlot(
      curves.filter((curve) => curve.title === title),
      y,
    );
    parts.push(block.svg);
    y = block.end;
  }
  const title = escapeXml(tables.map((table) => table.title).join(", "));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}" role="img"><title>${title}</title><style>${STYLE}</style>
${parts.join("\n")}
</svg>
`;
}

interface ChartBlock {
  readonly svg: string;
  readonly end: number;
}

function renderBars(table: Table, column: Column, top: number): ChartBlock {
  const rows = table.rows.filter((row) => row.figures[column.name] !== undefined);
  if (rows.length === 0) return { svg: "", end: top };
  const longest = Math.max(...rows.map((row) => row.figures[column.name]!.max));
  const scale = (figure: number) => ((WIDTH - LEFT - 90) * figure) / (longest || 1);
  const unit = column.unit === "" ? "" : `, ${column.unit}`;
  const svg = [renderText(8, top + 12, `${table.title}: ${column.name}${unit} (${column.better} is better)`, "t")];
  let y = top + 22;
  for (const row of rows) {
    const { median, min, max } = row.figures[column.name]!;
    const middle = y + BAR_HEIGHT / 2;
    svg.push(
      renderText(LEFT - 6, y + 11, row.case === "" ? row.side : `${row.side}, ${row.case}`, "", "end"),
      `<rect x="${LEFT}" y="${y}" width="${round(scale(median))}" height="${BAR_HEIGHT}" fill="${getColor(row.side)}"/>`,
      `<path class="l" d="M${round(LEFT + scale(min))} ${middle}H${round(LEFT + scale(max))}"/>`,
      renderText(LEFT + scale(max) + 6, y + 11, formatNumber(median, column.digits), "d"),
    );
    y += BAR_HEIGHT + GAP;
  }
  return { svg: svg.join("\n"), end: y + 14 };
}

const PLOT_HEIGHT = 150;

/** Both axes are logarithmic, so that a power of n is a straight line; n log n through the first point is dashed. */
function renderPlot(curves: readonly GrowthCurve[], top: number): ChartBlock {
  const all = curves.flatMap(({ points }) => points);
  const range = (values: readonly number[]) => [Math.log(Math.min(...values)), Math.log(Math.max(...values) * 1.05)] as const;
  const [left, right] = range(all.map(({ n }) => n));
  const [low, high] = range(all.flatMap(({ cost }) => [cost, cost * 1.5]));
  const x = (n: number) => LEFT + ((WIDTH - LEFT - 90) * (Math.log(n) - left)) / (right - left || 1);
  const y = (cost: number) => top + 22 + PLOT_HEIGHT - (PLOT_HEIGHT * (Math.log(cost) - low)) / (high - low || 1);
  const path = (points: GrowthCurve["points"]) =>
    points.map(({ n, cost }, i) => `${i === 0 ? "M" : "L"}${round(x(n))} ${round(y(cost))}`).join("");
  const svg = [renderText(8, top + 12, `${curves[0]!.title}: ${curves[0]!.unit} against ${curves[0]!.parameter}, both logarithmic`, "t")];
  for (const { side, points } of curves) {
    const [first] = points;
    const nLogN = (n: number) => n * Math.log2(Math.max(n, 2));
    const limit = points
      .map(({ n }) => ({ n, cost: (first!.cost * nLogN(n)) / nLogN(first!.n) }))
      .filter(({ cost }) => Math.log(cost) <= high);
    const last = points.at(-1)!;
    svg.push(
      `<path d="${path(limit)}" class="l" fill="none" stroke-dasharray="3 3"/>`,
      `<path d="${path(points)}" fill="none" stroke="${getColor(side)}" stroke-width="2"/>`,
      renderText(x(last.n) + 6, y(last.cost) + 4, `${side}, n^${fitGrowth(points).exponent.toFixed(2)}`, "d"),
    );
  }
  for (const n of new Set(all.map((point) => point.n))) svg.push(renderText(x(n), top + PLOT_HEIGHT + 36, formatNumber(n), "d", "middle"));
  return { svg: svg.join("\n"), end: top + PLOT_HEIGHT + 56 };
}

function getColor(side: string): string {
  const known = Object.keys(COLORS).find((name) => side.startsWith(name));
  return known === undefined ? "#7d8a97" : COLORS[known]!;
}

const round = (figure: number) => Math.round(figure * 10) / 10;

function renderText(x: number, y: number, text: string, cssClass: string, anchor = "start"): string {
  return `<text x="${round(x)}" y="${round(y)}"${cssClass === "" ? "" : ` class="${cssClass}"`} text-anchor="${anchor}">${escapeXml(text)}</text>`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
