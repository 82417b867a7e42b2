import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { comparable, MAY_DIFFER } from "../../packages/cluster/test/kubectl/comparable.ts";
import { readGolden } from "../../packages/cluster/test/kubectl/golden.ts";
import { chapters, goldenFile } from "./chapters.ts";

const all = await chapters();
const places = await placesAllowed();

/** What is masked, seen from three sides: what users wrote, what was recorded, and what is written down. */
describe("masks", () => {
  const wrote = all.flatMap(({ name, files, steps }) => [
    ...Object.entries(files).map(([file, text]) => ({ what: `${name}/${file}`, text })),
    { what: `the commands of ${name}`, text: steps.map(({ run }) => run).join("\n") },
  ]);
  /** Times and revisions that users wrote are masked like any others. */
  const known = (text: string) =>
    text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>").replace(/(resourceVersion"?: ?")\d+/g, "$1<revision>");

  test.each(wrote)("leave alone what a user wrote, but for times and revisions: $what", ({ text }) => {
    const { out } = comparable({ code: 0, out: text, err: "" }, { folder: "/nowhere" });
    expect(out).toBe(known(text).replace(/(?<=\S) {2,}/g, "  "));
  });

  test.each(all)("stand in the recordings of $name only where they may", async (chapter) => {
    const texts = (await readGolden(goldenFile(chapter))).flatMap(({ answers }) => answers.flatMap(({ out = "", err = "" }) => [out, err]));
    const found = texts.flatMap((text) => text.split("\n")).flatMap(masked);
    expect(found.filter(({ mask, field }) => !places.get(mask)?.has(field))).toEqual([]);
  });

  test("are all written down, and none beyond", () => {
    const used = MAY_DIFFER.flatMap(([, standsFor]) => standsFor.match(/<\w+>/g) ?? []);
    expect([...places.keys()].sort()).toEqual([...new Set([...used, "<folder>"])].sort());
  });
});

/** Masks of a line that is one field and its value, with the field's name. In lines of any other form the words around them are compared. */
function masked(line: string): { readonly mask: string; readonly field: string; readonly line: string }[] {
  const field = /^[\s+-]*"?([\w./-]+(?: [A-Z][\w]*)*)"?: +\S+$/.exec(line)?.[1];
  if (field === undefined) return [];
  return (line.match(/<(server|n|when|uid|revision|token|hash|time|age|suffix|node|ip|port|folder)>/g) ?? []).map((mask) => ({
    mask,
    field,
    line,
  }));
}

/** The table of docs/fidelity.md: masks and the fields they stand in. */
async function placesAllowed(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const text = await readFile(new URL("../../docs/fidelity.md", import.meta.url), "utf8");
  const rows = text.matchAll(/^\| `(<\w+>)` \|[^|]+\|([^|]*)\|$/gm);
  return new Map(
    [...rows].map(([, mask = "", fields = ""]) => [mask, new Set([...fields.matchAll(/`([^`]+)`/g)].map(([, field = ""]) => field))]),
  );
}
