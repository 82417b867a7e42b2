/** A command of a guide, and what it says it prints. */
export interface Step {
  readonly command: string;
  readonly output: string;
  /** In the guide's file, for whoever has to repair it. */
  readonly line: number;
}

/** The commands of a guide: the lines after `$ ` in its `console` blocks, each with the lines up to the next. */
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

/** What may differ from run to run: ages, addresses, generated names, and the width of columns that hold them. */
export function comparable(text: string): string {
  return text
    .replace(/\b(\d+[smh])+\b/g, "AGE")
    .replace(/\b10\.96\.\d+\.\d+\b/g, "ADDRESS")
    .replace(/-[bcdfghjklmnpqrstvwxz0-9]{8,10}-[bcdfghjklmnpqrstvwxz0-9]{5}\b/g, "-GENERATED")
    .split("\n")
    .map((line) => line.replace(/ {2,}/g, "  ").trimEnd())
    .join("\n")
    .trim();
}
