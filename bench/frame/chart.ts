import { type Curve, growth } from "./curve.ts";
import type { Outcome } from "./outcome.ts";
import { number } from "./spread.ts";
import type { Column, Table } from "./table.ts";

const WIDTH = 880;
const LEFT = 350;
const BAR = 14;
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

/** One picture per benchmark: a block of bars per figure, with whiskers from least to most, and a plot per curve. */
export function chart({ tables, curves = [] }: Outcome): string {
  const parts: string[] = [];
  let y = 8;
  for (const table of tables) {
    for (const column of table.columns) {
      const block = bars(table, column, y);
      parts.push(block.svg);
      y = block.end;
    }
  }
  for (const title of new Set(curves.map((curve) => curve.title))) {
    const block = plot(
      curves.filter((curve) => curve.title === title),
      y,
    );
    parts.push(block.svg);
    y = block.end;
  }
  const title = escaped(tables.map((table) => table.title).join(", "));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}" role="img"><title>${title}</title><style>${STYLE}</style>
${parts.join("\n")}
</svg>
`;
}

interface Block {
  readonly svg: string;
  readonly end: number;
}

function bars(table: Table, column: Column, top: number): Block {
  const rows = table.rows.filter((row) => row.figures[column.name] !== undefined);
  if (rows.length === 0) return { svg: "", end: top };
  const longest = Math.max(...rows.map((row) => row.figures[column.name]!.most));
  const scale = (figure: number) => ((WIDTH - LEFT - 90) * figure) / (longest || 1);
  const unit = column.unit === "" ? "" : `, ${column.unit}`;
  const svg = [text(8, top + 12, `${table.title}: ${column.name}${unit} (${column.better} is better)`, "t")];
  let y = top + 22;
  for (const row of rows) {
    const { median, least, most } = row.figures[column.name]!;
    const middle = y + BAR / 2;
    svg.push(
      text(LEFT - 6, y + 11, row.case === "" ? row.side : `${row.side}, ${row.case}`, "", "end"),
      `<rect x="${LEFT}" y="${y}" width="${at(scale(median))}" height="${BAR}" fill="${colorOf(row.side)}"/>`,
      `<path class="l" d="M${at(LEFT + scale(least))} ${middle}H${at(LEFT + scale(most))}"/>`,
      text(LEFT + scale(most) + 6, y + 11, number(median, column.digits), "d"),
    );
    y += BAR + GAP;
  }
  return { svg: svg.join("\n"), end: y + 14 };
}

const HEIGHT = 150;

/** In logarithms, so that a power of n is a straight line; n log n through the first point is dashed. */
function plot(curves: readonly Curve[], top: number): Block {
  const all = curves.flatMap(({ points }) => points);
  const range = (of: readonly number[]) => [Math.log(Math.min(...of)), Math.log(Math.max(...of) * 1.05)] as const;
  const [left, right] = range(all.map(({ n }) => n));
  const [low, high] = range(all.flatMap(({ cost }) => [cost, cost * 1.5]));
  const x = (n: number) => LEFT + ((WIDTH - LEFT - 90) * (Math.log(n) - left)) / (right - left || 1);
  const y = (cost: number) => top + 22 + HEIGHT - (HEIGHT * (Math.log(cost) - low)) / (high - low || 1);
  const path = (points: Curve["points"]) => points.map(({ n, cost }, i) => `${i === 0 ? "M" : "L"}${at(x(n))} ${at(y(cost))}`).join("");
  const svg = [text(8, top + 12, `${curves[0]!.title}: ${curves[0]!.unit} against ${curves[0]!.of}, both logarithmic`, "t")];
  for (const { side, points } of curves) {
    const [first] = points;
    const work = (n: number) => n * Math.log2(Math.max(n, 2));
    const bound = points
      .map(({ n }) => ({ n, cost: (first!.cost * work(n)) / work(first!.n) }))
      .filter(({ cost }) => Math.log(cost) <= high);
    const last = points.at(-1)!;
    svg.push(
      `<path d="${path(bound)}" class="l" fill="none" stroke-dasharray="3 3"/>`,
      `<path d="${path(points)}" fill="none" stroke="${colorOf(side)}" stroke-width="2"/>`,
      text(x(last.n) + 6, y(last.cost) + 4, `${side}, n^${growth(points).power.toFixed(2)}`, "d"),
    );
  }
  for (const n of new Set(all.map((point) => point.n))) svg.push(text(x(n), top + HEIGHT + 36, number(n), "d", "middle"));
  return { svg: svg.join("\n"), end: top + HEIGHT + 56 };
}

function colorOf(side: string): string {
  const known = Object.keys(COLORS).find((name) => side.startsWith(name));
  return known === undefined ? "#7d8a97" : COLORS[known]!;
}

const at = (figure: number) => Math.round(figure * 10) / 10;

function text(x: number, y: number, words: string, kind: string, anchor = "start"): string {
  return `<text x="${at(x)}" y="${at(y)}"${kind === "" ? "" : ` class="${kind}"`} text-anchor="${anchor}">${escaped(words)}</text>`;
}

function escaped(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
