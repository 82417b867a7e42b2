/** Requests that write, as a list. */
import type { JSX } from "preact";
import type { RequestSummary } from "../../protocol.ts";
import { pageHref } from "../app/links.ts";
import { formatDuration, formatTime } from "../model/format.ts";
import { Mark, ObjectLink, RevisionLink, RunLink, type Tone } from "./basics.tsx";
import { VirtualList } from "./virtual-list.tsx";

const COLUMNS = [
  { name: "Time", width: "104px" },
  { name: "Code", width: "72px" },
  { name: "Request", width: "minmax(180px, 3fr)" },
  { name: "Answer", width: "minmax(120px, 2fr)" },
  { name: "By", width: "minmax(100px, 1fr)" },
  { name: "Run", width: "84px" },
  { name: "Took", width: "72px", number: true },
];

export const codeTone = (code: number): Tone =>
  code === 0 || code >= 500 ? "bad" : code >= 400 ? (code === 409 ? "warn" : "bad") : "good";

export function RequestTable({
  requests,
  maxRows,
}: {
  readonly requests: readonly RequestSummary[];
  readonly maxRows?: number;
}): JSX.Element {
  return (
    <VirtualList
      label="Requests"
      columns={COLUMNS}
      count={requests.length}
      {...(maxRows === undefined ? {} : { maxRows })}
      rowKey={(i) => requests[i]?.sequence ?? i}
      row={(i) => {
        const request = requests[i];
        if (request === undefined) return [];
        return [
          <span key="t" class="mono muted">
            {formatTime(request.time)}
          </span>,
          <Mark key="c" tone={codeTone(request.code)}>
            {request.code === 0 ? "none" : request.code}
          </Mark>,
          <span key="w" class="ellipsis">
            <strong>{request.verb}</strong> {request.object === undefined ? request.resource : <ObjectLink path={request.object} />}
          </span>,
          <span key="a" class="ellipsis" title={request.message}>
            {request.fault !== undefined && <span class="fault">fault </span>}
            {request.commits.map((revision) => (
              <span key={revision}>
                <RevisionLink revision={revision} />{" "}
              </span>
            ))}
            {request.message ?? request.reason ?? ""}
          </span>,
          <span key="u" class="muted ellipsis" title={request.user}>
            {request.manager ?? request.user ?? ""}
          </span>,
          request.run === undefined ? (
            <a key="r" href={pageHref(["requests"], { q: request.id })} class="muted">
              alone
            </a>
          ) : (
            <RunLink key="r" id={request.run} />
          ),
          <span key="d" class="mono">
            {formatDuration(request.duration)}
          </span>,
        ];
      }}
    />
  );
}
