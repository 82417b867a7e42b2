import { type Spread, spreadText } from "./spread.ts";

/** One figure of every row, and which way is better. */
export interface Column {
  readonly name: string;
  readonly unit: string;
  readonly better: "less" | "more";
  readonly digits: number;
}

/** What one side did in one case; a figure may be missing where a side has no such thing. */
export interface Row {
  readonly case: string;
  readonly side: string;
  readonly figures: Readonly<Record<string, Spread>>;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** What a reader has to know before comparing. */
  readonly note?: string | undefined;
}

/** As Markdown, which is good to read on a terminal too. */
export function tableText({ title, columns, rows, note }: Table): string {
  const heads = ["case", "side", ...columns.map(({ name, unit }) => (unit === "" ? name : `${name}, ${unit}`))];
  const lines = rows.map((row) => [
    row.case,
    row.side,
    ...columns.map(({ name, digits }) => {
      const figure = row.figures[name];
      return figure === undefined ? "-" : spreadText(figure, digits);
    }),
  ]);
  const widths = heads.map((head, i) => Math.max(head.length, ...lines.map((line) => line[i]!.length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |`;
  const rule = line(widths.map((width) => "-".repeat(width)));
  return [`### ${title}`, "", line(heads), rule, ...lines.map(line), ...(note === undefined ? [] : ["", note])].join("\n");
}
