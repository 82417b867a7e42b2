import { readFile } from "node:fs/promises";
import type { ResponseSummary } from "./raw-client.ts";

export const recordedResponsesFile = new URL("recorded-responses.json", import.meta.url);

/** Reduces a response to what is compared. */
export function toRecordedResponse({ code, reason }: ResponseSummary): Pick<ResponseSummary, "code" | "reason"> {
  return reason === undefined ? { code } : { code, reason };
}

/** Reads the responses of a real server, by the name of the request. */
export async function readRecordedResponses(): Promise<Readonly<Record<string, Pick<ResponseSummary, "code" | "reason">>>> {
  return JSON.parse(await readFile(recordedResponsesFile, "utf8"));
}
