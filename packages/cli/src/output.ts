import { stringify } from "yaml";
import { type Arguments, CommandError } from "./command.ts";

/** The option of every command that can answer a program instead of a reader. */
export const OUTPUT_OPTION = { output: { type: "string", short: "o" } } as const;
export const OUTPUT_ABOUT = { output: "json or yaml: for programs" };

/** How to write an answer for programs; undefined where a reader is meant. */
export function outputOf(command: string, { values }: Pick<Arguments, "values">): ((answer: unknown) => string) | undefined {
  const said = values["output"];
  if (said === undefined) return undefined;
  if (said === "json") return (answer) => `${JSON.stringify(answer)}\n`;
  if (said === "yaml") return (answer) => stringify(answer, { aliasDuplicateObjects: false, lineWidth: 0 });
  throw new CommandError(`pintle ${command}: --output ${said} is neither json nor yaml`, 2);
}
