import { readFileSync } from "node:fs";

const FIDELITY = new URL("../../docs/fidelity.md", import.meta.url);
const SECTION = "## Requests";
const ROW = /^\| (?<title>[^|]+) \| (?<part>message|headers|body) \| (?<reason>[^|]+) \|$/;

/** A case whose response differs from that of kube-apiserver, as docs/fidelity.md documents. */
export interface DocumentedDifference {
  readonly title: string;
  /** The part that differs: never the status code, the reason or the stored object. */
  readonly part: "message" | "headers" | "body";
}

/** Reads the rows of the section "Requests" in docs/fidelity.md. */
export function readDifferences(): readonly DocumentedDifference[] {
  const text = readFileSync(FIDELITY, "utf8");
  const section = text.slice(text.indexOf(SECTION)).split(/\n## /)[0] as string;
  return section.split("\n").flatMap((line) => {
    const found = ROW.exec(line)?.groups;
    return found === undefined ? [] : [{ title: (found["title"] as string).trim(), part: found["part"] as DocumentedDifference["part"] }];
  });
}

/** A response without the part that may differ; the rest must be equal. */
export function omitPart(part: DocumentedDifference["part"], answer: any): unknown {
  const { warning: _warning, type: _type, body, ...rest } = answer;
  if (part === "body") return rest;
  if (part === "headers") return { ...rest, body };
  const { message: _message, details: _details, ...status } = body;
  return { ...rest, body: status };
}
