/** Conditional requests and ranges, with the verdicts of Go's `net/http`, which catalogd uses. Pure. */

/** The headers of a request. Names are in lower case. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

type Verdict = "none" | "true" | "false";

/** The status that ends a request: 304 or 412; undefined if the content is to be sent. */
export function checkPreconditions(method: string, headers: RequestHeaders, modified: Date): 304 | 412 | undefined {
  const ifMatch = read(headers, "if-match");
  let matches: Verdict = ifMatch === "" ? "none" : matchesAny(ifMatch);
  if (matches === "none") matches = isUnmodifiedSince(read(headers, "if-unmodified-since"), modified);
  if (matches === "false") return 412;
  const isRead = method === "GET" || method === "HEAD";
  const ifNoneMatch = read(headers, "if-none-match");
  // There are no entity tags, so only "*" matches.
  if (ifNoneMatch !== "") return matchesAny(ifNoneMatch) === "true" ? (isRead ? 304 : 412) : undefined;
  const since = parseHttpDate(read(headers, "if-modified-since"));
  return since !== undefined && modified.getTime() <= since.getTime() ? 304 : undefined;
}

function matchesAny(list: string): Verdict {
  for (const item of list.split(",")) {
    const tag = item.trim();
    if (tag.startsWith("*")) return "true";
    if (tag !== "" && !/^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"/.test(tag)) return "false";
  }
  return "false";
}

function isUnmodifiedSince(text: string, modified: Date): Verdict {
  const date = parseHttpDate(text);
  if (date === undefined) return "none";
  return modified.getTime() <= date.getTime() ? "true" : "false";
}

const read = (headers: RequestHeaders, name: string): string => {
  const value = headers[name];
  return (Array.isArray(value) ? value.join(", ") : (value ?? "")).trim();
};

const DAYS = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const TIME = "(\\d\\d):(\\d\\d):(\\d\\d)";
const FORMATS = [
  { pattern: new RegExp(`^${DAYS}, (\\d\\d) ([A-Z][a-z][a-z]) (\\d{4}) ${TIME} GMT$`), order: [1, 2, 3, 4, 5, 6] },
  { pattern: new RegExp(`^[A-Z][a-z]+day, (\\d\\d)-([A-Z][a-z][a-z])-(\\d\\d) ${TIME} [A-Z]+$`), order: [1, 2, 3, 4, 5, 6] },
  { pattern: new RegExp(`^${DAYS} ([A-Z][a-z][a-z]) ([ \\d]\\d) ${TIME} (\\d{4})$`), order: [2, 1, 6, 3, 4, 5] },
] as const;

/** Parses a date in one of the three formats of HTTP/1.1; undefined if it is none. */
export function parseHttpDate(text: string): Date | undefined {
  for (const { pattern, order } of FORMATS) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const [day, month, year, hours, minutes, seconds] = order.map((group) => found[group]!) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const monthNumber = MONTHS.indexOf(month);
    if (monthNumber === -1) continue;
    const shortYear = Number(year);
    const fullYear = year.length === 4 ? shortYear : shortYear >= 69 ? 1900 + shortYear : 2000 + shortYear;
    const date = new Date(Date.UTC(fullYear, monthNumber, Number(day), Number(hours), Number(minutes), Number(seconds)));
    // Not the 31st of February.
    if (date.getUTCDate() === Number(day) && Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60) return date;
  }
  return undefined;
}

/** The parts of the content that a request asks for; "all" for everything, or for more than that; "unsatisfiable" if there are no such parts. */
export type RangeRequest = readonly { readonly offset: number; readonly length: number }[] | "all" | "invalid" | "unsatisfiable";

/** Reads the Range header of a request for content of a size. */
export function readRange(headers: RequestHeaders, modified: Date, size: number): RangeRequest {
  const text = read(headers, "range");
  if (text === "") return "all";
  const condition = read(headers, "if-range");
  if (condition !== "") {
    const date = parseHttpDate(condition);
    if (date === undefined || date.getTime() !== modified.getTime()) return "all";
  }
  if (!text.startsWith("bytes=")) return "invalid";
  const parts = text
    .slice(6)
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const ranges: { offset: number; length: number }[] = [];
  let isUnsatisfiable = false;
  for (const part of parts) {
    const [, start, end] = /^(\d*)\s*-\s*(\d*)$/.exec(part) ?? [];
    if (start === undefined || end === undefined || (start === "" && end === "")) return "invalid";
    if (start === "") {
      const length = Math.min(Number(end), size);
      ranges.push({ offset: size - length, length });
      continue;
    }
    const offset = Number(start);
    if (offset >= size) {
      isUnsatisfiable = true;
      continue;
    }
    const last = end === "" ? size - 1 : Math.min(Number(end), size - 1);
    if (end !== "" && Number(end) < offset) return "invalid";
    ranges.push({ offset, length: last - offset + 1 });
  }
  if (ranges.length === 0) return isUnsatisfiable && size > 0 ? "unsatisfiable" : "all";
  // Parts that are more than everything are taken for an attack, or a client that does not know better.
  return ranges.length === 0 || ranges.reduce((sum, { length }) => sum + length, 0) > size ? "all" : ranges;
}
