import { stringifyJson } from "pintle/internal/json";
import { stringify } from "yaml";
import type { ParsedArguments } from "./command.ts";
import { CommandError } from "./errors.ts";

/** The option of every command with machine-readable output. */
export const OUTPUT_OPTION = { output: { type: "string", short: "o" } } as const;
export const OUTPUT_DESCRIPTION = { output: "output format: json or yaml" };

/** Returns the serializer selected by --output; undefined for text output. */
export function outputFormatter({ values }: Pick<ParsedArguments, "values">): ((answer: unknown) => string) | undefined {
  const format = values["output"];
  if (format === undefined) return undefined;
  if (format === "json") return (answer) => `${stringifyJson(answer)}\n`;
  if (format === "yaml") return (answer) => stringify(answer, { aliasDuplicateObjects: false, lineWidth: 0 });
  throw new CommandError("PINTLE7005", `invalid --output "${format}": must be json or yaml`, 2);
}
