/** A command of a guide, and the output that the guide shows for it. */
export interface Step {
  readonly command: string;
  readonly output: string;
  /** Line number in the guide's file, for failure messages. */
  readonly line: number;
}

/** Parses the commands of a guide: the lines after `$ ` in its `console` blocks, each with the output lines up to the next command. */
export function steps(markdown: string): readonly Step[] {
  const found: { command: string; output: string[]; line: number }[] = [];
  let inside = false;
  for (const [i, text] of markdown.split("\n").entries()) {
    if (text === "```console") inside = true;
    else if (text.startsWith("```")) inside = false;
    else if (inside && text.startsWith("$ ")) found.push({ command: text.slice(2), output: [], line: i + 1 });
    else if (inside) found.at(-1)?.output.push(text);
  }
  return found.map(({ output, ...step }) => ({ ...step, output: output.join("\n").trim() }));
}

/** Masks what differs between runs: ages, addresses, generated names, and the width of columns that hold them. */
export function comparable(text: string): string {
  return (
    text
      // Before ages: a generated name may end like one (49m6s).
      .replace(/-[bcdfghjklmnpqrstvwxz0-9]{8,10}-[bcdfghjklmnpqrstvwxz0-9]{5}\b/g, "-GENERATED")
      .replace(/\b(\d+[smh])+\b/g, "AGE")
      .replace(/\b10\.96\.\d+\.\d+\b/g, "ADDRESS")
      .split("\n")
      .map((line) => line.replace(/ {2,}/g, "  ").trimEnd())
      .join("\n")
      .trim()
  );
}
