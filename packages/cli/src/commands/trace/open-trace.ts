import path from "node:path";
import { readTrace, type Trace } from "@pintle/cluster";
import { CommandError, type Io, type ParsedArguments } from "../../command/index.ts";

/** Reads the trace file that an argument names. */
export async function openTrace({ positionals }: ParsedArguments, io: Io, command: string, place = 0): Promise<Trace> {
  const file = positionals[place];
  if (file === undefined)
    throw new CommandError("PINTLE7004", `missing trace file, for example: pintle ${command} .pintle/traces/a.pintle-trace`, 2);
  return readTrace(path.resolve(io.cwd, file));
}

/** A trace file comes from anywhere: its texts must not control the terminal. */
export const toPrintable = (text: string): string =>
  text.replaceAll(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Formats a time of a trace: 12:01:07.123. */
export const formatTime = (time: number): string =>
  Number.isFinite(time) && Math.abs(time) < 8e15 ? new Date(time).toISOString().slice(11, 23) : "?";
