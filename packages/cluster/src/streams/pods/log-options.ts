import { param, type Query } from "../../api/index.ts";
import type { LogOptions } from "../../node/index.ts";
import { type FieldError, fieldError, invalid } from "../../status/index.ts";
import { flag } from "../flag.ts";

const LEAST = { tailLines: 0, limitBytes: 1, sinceSeconds: 1 } as const;

/** What a request for a log asks for, at a time in milliseconds; throws 422 for what makes no sense. */
export function logOptions(pod: string, query: Query, now: number): LogOptions {
  const problems: FieldError[] = [];
  const number = (field: keyof typeof LEAST): number | undefined => {
    if (!query.has(field)) return undefined;
    const value = Number(param(query, field));
    const least = LEAST[field];
    if (value < least) {
      problems.push(fieldError.invalid(field, value, least === 0 ? "must be greater than or equal to 0" : "must be greater than 0"));
    }
    return value;
  };
  const tailLines = number("tailLines");
  const limitBytes = number("limitBytes");
  const sinceSeconds = number("sinceSeconds");
  const sinceTime = query.has("sinceTime") ? Date.parse(param(query, "sinceTime")) : undefined;
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    problems.push(fieldError.forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  }
  if (problems.length > 0) throw invalid({ group: "", resource: "PodLogOptions" }, pod, problems);
  const stream = param(query, "stream");
  return {
    follow: flag(query, "follow"),
    previous: flag(query, "previous"),
    timestamps: flag(query, "timestamps"),
    tailLines,
    limitBytes,
    since: sinceSeconds === undefined ? sinceTime : now - sinceSeconds * 1000,
    stream: stream === "Stdout" || stream === "Stderr" ? stream : undefined,
  };
}
