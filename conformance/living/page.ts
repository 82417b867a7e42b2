import { normalizeOutput } from "../../packages/cluster/test/kubectl/normalize-output.ts";

/** Parses the files of a page: its `yaml` blocks that begin with their name, `# web.yaml`. */
export function parsePageFiles(markdown: string): Readonly<Record<string, string>> {
  const blocks = markdown.matchAll(/^```yaml\n# (\S+\.yaml)\n(.*?)^```$/gms);
  return Object.fromEntries([...blocks].map(([, name, text]) => [name!, text!]));
}

/** Returns the page with other outputs: one for each command, in their order. */
export function replaceOutputs(markdown: string, outputs: readonly string[]): string {
  const lines: string[] = [];
  let inside = false;
  let next = 0;
  for (const line of markdown.split("\n")) {
    if (line === "```console") inside = true;
    else if (line.startsWith("```")) inside = false;
    if (inside && line !== "```console" && !line.startsWith("$ ")) continue;
    lines.push(line);
    if (inside && line.startsWith("$ "))
      lines.push(
        ...outputs[next++]!.trimEnd()
          .split("\n")
          .filter(Boolean)
          .map((each) => each.trimEnd()),
      );
  }
  return lines.join("\n");
}

/** Masks what differs between clusters in printed output. Lines from the same second, or with generated names, are sorted. */
export function maskPageOutput(command: string, printed: string): string {
  const { out } = normalizeOutput({ code: 0, out: printed.replace(/^\s*\n/gm, ""), err: "" }, { folder: "/nowhere" });
  const lines = out.trim().split("\n");
  const fixed = /\bdescribe\b/.test(command) ? lines.findIndex((line) => line.startsWith("Events:")) + 1 || lines.length : 0;
  return [...lines.slice(0, fixed), ...lines.slice(fixed).sort()].join("\n");
}
