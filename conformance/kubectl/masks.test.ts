import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { readGolden } from "../../packages/cluster/test/kubectl/golden.ts";
import { normalizeOutput, REPLACEMENTS } from "../../packages/cluster/test/kubectl/normalize-output.ts";
import { goldenFile, readChapters } from "./chapters.ts";

const all = await readChapters();
const places = await readAllowedFields();

/** Checks the masks from three sides: input that users wrote, recorded output, and the table in docs/fidelity.md. */
describe("masks", () => {
  const wrote = all.flatMap(({ name, files, steps }) => [
    ...Object.entries(files).map(([file, text]) => ({ what: `${name}/${file}`, text })),
    { what: `the commands of ${name}`, text: steps.map(({ run }) => run).join("\n") },
  ]);
  /** Times and revisions that users wrote are masked like any others. */
  const isKnown = (text: string) =>
    text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>").replace(/(resourceVersion"?: ?")\d+/g, "$1<revision>");

  test.each(wrote)("leave user input unchanged except for times and revisions: $what", ({ text }) => {
    const { out } = normalizeOutput({ code: 0, out: text, err: "" }, { folder: "/nowhere" });
    expect(out).toBe(isKnown(text).replace(/(?<=\S) {2,}/g, "  "));
  });

  test.each(all)("occur in the recordings of $name only in the documented fields", async (chapter) => {
    const texts = (await readGolden(goldenFile(chapter))).flatMap(({ answers }) => answers.flatMap(({ out = "", err = "" }) => [out, err]));
    const found = texts.flatMap((text) => text.split("\n")).flatMap(findMasks);
    expect(found.filter(({ mask, field }) => !places.get(mask)?.has(field))).toEqual([]);
  });

  test("match the documented masks exactly", () => {
    const used = REPLACEMENTS.flatMap(([, standsFor]) => standsFor.match(/<\w+>/g) ?? []);
    expect([...places.keys()].sort()).toEqual([...new Set([...used, "<folder>"])].sort());
  });
});

/** Returns the masks of a line that is one field and its value, with the field's name. In other lines the surrounding text is compared. */
function findMasks(line: string): { readonly mask: string; readonly field: string; readonly line: string }[] {
  const field = /^[\s+-]*"?([\w./-]+(?: [A-Z][\w]*)*)"?: +\S+$/.exec(line)?.[1];
  if (field === undefined) return [];
  return (line.match(/<(server|n|when|uid|revision|token|hash|time|age|suffix|node|ip|port|folder)>/g) ?? []).map((mask) => ({
    mask,
    field,
    line,
  }));
}

/** Parses the table of docs/fidelity.md: masks and the fields they may occur in. */
async function readAllowedFields(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const text = await readFile(new URL("../../docs/fidelity.md", import.meta.url), "utf8");
  const rows = text.matchAll(/^\| `(<\w+>)` \|[^|]+\|([^|]*)\|$/gm);
  return new Map(
    [...rows].map(([, mask = "", fields = ""]) => [mask, new Set([...fields.matchAll(/`([^`]+)`/g)].map(([, field = ""]) => field))]),
  );
}
