/** Rows of the recording. */
import type { JSX } from "preact";
import type { FactRow } from "../../protocol.ts";
import { chainHref, formatObjectPath, objectHref, pageHref, requestHref, runHref } from "../app/links.ts";
import { facts } from "../data/stream.ts";
import { formatDuration, formatTime } from "../model/format.ts";
import { Mark, type Tone } from "./basics.tsx";
import { VirtualList } from "./virtual-list.tsx";

const TONES: Readonly<Record<FactRow["tone"], Tone>> = { error: "bad", warning: "warn", normal: "accent", noise: "plain" };
const COLUMNS = [
  { name: "Time", width: "104px" },
  { name: "Type", width: "92px" },
  { name: "What", width: "minmax(160px, 3fr)" },
  { name: "Object", width: "minmax(100px, 1fr)" },
  { name: "Took", width: "72px", number: true },
];

/** The page that says most about a fact. */
export function factHref(row: FactRow): string {
  if (row.type === "commit" && row.revision !== undefined) return chainHref(row.revision);
  if (row.type === "request" && row.request !== undefined) return requestHref(row.request);
  if (row.type === "watch") return pageHref(["watches"]);
  if (row.type === "drop") return pageHref(["runs"], { show: "drops", object: row.object });
  if (row.run !== undefined) return runHref(row.run);
  if (row.object !== undefined) return objectHref(row.object);
  return pageHref(["activity"], { q: row.type });
}

interface FactListProps {
  readonly label: string;
  /** Indexes of columns. */
  readonly rows: ArrayLike<number>;
  readonly maxRows?: number;
}

export function FactList({ label, rows, maxRows }: FactListProps): JSX.Element {
  return (
    <VirtualList
      label={label}
      columns={COLUMNS}
      count={rows.length}
      {...(maxRows === undefined ? {} : { maxRows })}
      rowKey={(i) => facts.sequence[rows[i] ?? 0] ?? i}
      rowClass={(i) => facts.row(rows[i] ?? 0).tone}
      row={(i) => {
        const row = facts.row(rows[i] ?? 0);
        return [
          <span key="t" class="mono muted">
            {formatTime(row.time)}
          </span>,
          <Mark key="y" tone={TONES[row.tone]}>
            {row.type}
          </Mark>,
          <a key="w" class="fact-text" href={factHref(row)} title={row.text}>
            {row.text}
          </a>,
          row.object === undefined ? (
            <span key="o" class="muted">
              {row.controller ?? ""}
            </span>
          ) : (
            <a key="o" href={objectHref(row.object)} title={row.object}>
              {formatObjectPath(row.object)}
            </a>
          ),
          <span key="d" class="mono muted">
            {row.duration === undefined ? "" : formatDuration(row.duration)}
          </span>,
        ];
      }}
    />
  );
}
