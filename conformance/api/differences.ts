import { readFileSync } from "node:fs";

const FIDELITY = new URL("../../docs/fidelity.md", import.meta.url);
const SECTION = "## Requests";
const ROW = /^\| (?<title>[^|]+) \| (?<part>message|headers|body) \| (?<reason>[^|]+) \|$/;

/** A case that is answered otherwise than by a real server, and may be. */
export interface Difference {
  readonly title: string;
  /** What differs: never the code, the reason or what is stored. */
  readonly part: "message" | "headers" | "body";
}

/** The rows of the section "Requests" in docs/fidelity.md. */
export function differences(): readonly Difference[] {
  const text = readFileSync(FIDELITY, "utf8");
  const section = text.slice(text.indexOf(SECTION)).split(/\n## /)[0] as string;
  return section.split("\n").flatMap((line) => {
    const found = ROW.exec(line)?.groups;
    return found === undefined ? [] : [{ title: (found["title"] as string).trim(), part: found["part"] as Difference["part"] }];
  });
}

/** An answer without the part that may differ; what is left must be the same. */
export function without(part: Difference["part"], answer: any): unknown {
  const { warning: _warning, type: _type, body, ...rest } = answer;
  if (part === "body") return rest;
  if (part === "headers") return { ...rest, body };
  const { message: _message, details: _details, ...status } = body;
  return { ...rest, body: status };
}
