import { formatSpread, type Spread } from "./spread.ts";

/** One figure of every row. */
export interface Column {
  readonly name: string;
  readonly unit: string;
  readonly better: "lower" | "higher";
  readonly digits: number;
}

/** The figures of one side in one case. A side that a figure does not apply to has none. */
export interface Row {
  readonly case: string;
  readonly side: string;
  readonly figures: Readonly<Record<string, Spread>>;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** What a reader must know to compare the figures. */
  readonly note?: string | undefined;
}

/** Formats a table as Markdown, with columns aligned for a terminal. */
export function formatTable({ title, columns, rows, note }: Table): string {
  const headers = ["case", "side", ...columns.map(({ name, unit }) => (unit === "" ? name : `${name}, ${unit}`))];
  const lines = rows.map((row) => [
    row.case,
    row.side,
    ...columns.map(({ name, digits }) => {
      const figure = row.figures[name];
      return figure === undefined ? "-" : formatSpread(figure, digits);
    }),
  ]);
  const widths = headers.map((header, i) => Math.max(header.length, ...lines.map((line) => line[i]!.length)));
  const formatLine = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |`;
  const separator = formatLine(widths.map((width) => "-".repeat(width)));
  return [`### ${title}`, "", formatLine(headers), separator, ...lines.map(formatLine), ...(note === undefined ? [] : ["", note])].join(
    "\n",
  );
}
