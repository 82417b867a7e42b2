import type { Command } from "./command.ts";

/** Returns the help text of one command: summary, usage, options and examples. */
export function formatHelp(command: Command): string {
  const options = Object.entries(command.optionDescriptions).map(([name, about]) => {
    const option = command.options[name];
    const takes = option?.type === "string" ? ` ${findPlaceholder(command.usage, name) ?? name.toUpperCase()}` : "";
    return [`${option?.short === undefined ? "" : `-${option.short}, `}--${name}${takes}`, about] as const;
  });
  return [
    command.summary,
    "",
    `Usage: pintle ${command.name} ${command.usage}`.trimEnd(),
    ...(options.length > 0 ? ["", "Options:", ...formatColumns(options)] : []),
    "",
    "Examples:",
    ...command.examples.map((e) => `  ${e}`),
    "",
  ].join("\n");
}

/** Returns the placeholder that the usage line has for the value of an option: `DIR` for `[--data DIR]`, `P[,P]` for `[--platform P[,P]]`. */
function findPlaceholder(usage: string, option: string): string | undefined {
  const start = usage.indexOf(`--${option} `);
  return start === -1 ? undefined : /^(?:[^\s[\]]|\[[^\]]*\])+/.exec(usage.slice(start + option.length + 3))?.[0];
}

/** Returns the list of commands with their summaries. */
export function formatOverview(commands: readonly Command[]): string {
  return [
    "pintle develops, builds and deploys Kubernetes operators written in TypeScript.",
    "",
    "Commands:",
    ...formatColumns(commands.map((c) => [c.name, c.summary] as const)),
    "",
    'Use "pintle <command> --help" for the options and examples of a command. --debug prints the stack trace of an error.',
    "Exit codes: 0 success, 1 failure (or differences found), 2 wrong usage, 130 interrupted.",
    "",
  ].join("\n");
}

function formatColumns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
