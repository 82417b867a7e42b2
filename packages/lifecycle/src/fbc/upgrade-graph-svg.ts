import type { CatalogChannel, CatalogDeprecations, ChannelEntry } from "./types.ts";

/** ROW leaves room between the boxes of two rows, for a note and for the edges that pass. */
const [ROW, HEIGHT, MARGIN, GUTTER, TITLE, LEGEND] = [68, 36, 24, 56, 20, 32];
const BEND = 18;
/** Wider than the letters of any sans-serif font on average: the fonts of the reader are not known. */
const LETTER_WIDTH = 7.4;
const MAX_LETTERS = 40;

interface PlacedBundle {
  readonly name: string;
  readonly column: number;
  readonly x: number;
  readonly y: number;
  readonly note: string;
  readonly kind: "bundle" | "head" | "deprecated" | "missing";
}

/**
 * Draws the upgrade graph of a package as an SVG: a band per channel, from the oldest bundle on the left to the head on the right. Solid arrows replace,
 * dashed ones skip; deprecated bundles and those that are not in the channel are marked. The SVG needs no script, no font and no style sheet.
 *
 * @example
 * ```ts
 * import { writeFileSync } from "node:fs";
 * import { formatUpgradeGraphSvg } from "@pintle/lifecycle";
 *
 * const entries = [{ name: "shop.v1.0.0" }, { name: "shop.v1.1.0", replaces: "shop.v1.0.0" }];
 * writeFileSync("upgrades.svg", formatUpgradeGraphSvg([{ schema: "olm.channel", package: "shop", name: "stable", entries }]));
 * ```
 */
export function formatUpgradeGraphSvg(channels: readonly CatalogChannel[], deprecations: readonly CatalogDeprecations[] = []): string {
  const deprecated = new Set(
    deprecations.flatMap(({ entries }) => entries.map(({ reference }) => `${reference.schema} ${reference.name ?? ""}`)),
  );
  const parts: string[] = [];
  let [top, width] = [0, LEGEND_WIDTH];
  const box = computeBoxWidth(channels);
  for (const { name, entries } of channels) {
    const { placed, columns, rows } = placeBundles(entries, deprecated, box);
    const height = MARGIN * 2 + TITLE + rows * ROW;
    const band = MARGIN * 2 + columns * (box + GUTTER) - GUTTER;
    const title = deprecated.has(`olm.channel ${name}`) ? `${name} (deprecated)` : name;
    parts.push(
      `<g transform="translate(0 ${top})">`,
      `<text class="title" x="${MARGIN}" y="${MARGIN}">${escapeXml(title)}</text>`,
      ...entries.flatMap((entry) => drawEdges(entry, placed, box)),
      ...[...placed.values()].flatMap((bundle) => drawBundle(bundle, box)),
      "</g>",
    );
    top += height;
    width = Math.max(width, band);
  }
  parts.push(...drawLegend(top));
  top += LEGEND;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${top}" viewBox="0 0 ${width} ${top}" font-family="sans-serif" font-size="12">`,
    `<style>.page{fill:#fff;stroke:none}.title{font-size:14px;font-weight:bold}rect{fill:#eef;stroke:#557}.head{fill:#cfc;stroke:#272}.deprecated{fill:#fdd;stroke:#a33}.missing{fill:#fff;stroke:#999;stroke-dasharray:3 3}path{fill:none;stroke:#557}.skips{stroke-dasharray:5 4;stroke:#999}.note{font-size:9px;fill:#666}</style>`,
    `<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" style="fill:#557"/></marker></defs>`,
    `<rect class="page" width="${width}" height="${top}"/>`,
    ...parts,
    "</svg>",
  ].join("\n")}\n`;
}

function computeBoxWidth(channels: readonly CatalogChannel[]): number {
  const names = channels.flatMap(({ entries }) => entries.flatMap(({ name, replaces = "", skips = [] }) => [name, replaces, ...skips]));
  const longest = names.reduce((length, name) => Math.max(length, shorten(name).length), 16);
  return Math.ceil(longest * LETTER_WIDTH) + 16;
}

/** The version is at the end. */
function shorten(name: string): string {
  return name.length > MAX_LETTERS ? `${name.slice(0, MAX_LETTERS / 2 - 1)}…${name.slice(-MAX_LETTERS / 2)}` : name;
}

/** Columns by the longest way from a bundle without predecessor; cycles and very long ways end at the number of entries. */
function placeBundles(
  entries: readonly ChannelEntry[],
  deprecated: ReadonlySet<string>,
  box: number,
): { readonly placed: ReadonlyMap<string, PlacedBundle>; readonly columns: number; readonly rows: number } {
  const known = new Map(entries.map((entry) => [entry.name, entry]));
  const successors = new Set(entries.flatMap(({ replaces, skips = [] }) => [replaces ?? "", ...skips]));
  const columns = computeColumns(entries, known);
  const rows: number[] = [];
  const placed = new Map<string, PlacedBundle>();
  const place = (name: string) => {
    if (placed.has(name)) return;
    const column = columns.get(name) ?? 0;
    const row = rows[column] ?? 0;
    rows[column] = row + 1;
    const entry = known.get(name);
    const isDeprecated = deprecated.has(`olm.bundle ${name}`);
    const kind = entry === undefined ? "missing" : isDeprecated ? "deprecated" : successors.has(name) ? "bundle" : "head";
    const notes = [
      entry?.skipRange ? `skips ${entry.skipRange}` : "",
      isDeprecated ? "deprecated" : "",
      entry === undefined ? "not in the channel" : "",
    ];
    placed.set(name, {
      name,
      column,
      x: MARGIN + column * (box + GUTTER),
      y: MARGIN + TITLE + row * ROW,
      note: notes.filter((note) => note !== "").join(", "),
      kind,
    });
  };
  for (const { name, replaces, skips = [] } of entries) for (const each of [replaces ?? "", ...skips, name]) if (each !== "") place(each);
  return { placed, columns: Math.max(1, rows.length), rows: Math.max(1, ...rows.map((row) => row ?? 0)) };
}

/** Without recursion: a channel may have thousands of entries in a row. */
function computeColumns(entries: readonly ChannelEntry[], known: ReadonlyMap<string, ChannelEntry>): ReadonlyMap<string, number> {
  const columns = new Map<string, number>();
  const open = new Set<string>();
  const predecessors = (name: string) => {
    const { replaces, skips = [] }: Partial<ChannelEntry> = known.get(name) ?? {};
    return [...(replaces ? [replaces] : []), ...skips];
  };
  for (const { name: start } of entries) {
    const stack = [start];
    while (stack.length > 0) {
      const name = stack.at(-1)!;
      const waiting = columns.has(name) ? [] : predecessors(name).filter((each) => !columns.has(each) && !open.has(each));
      if (waiting.length > 0 && !open.has(name)) {
        open.add(name);
        stack.push(...waiting);
        continue;
      }
      stack.pop();
      open.delete(name);
      if (!columns.has(name)) columns.set(name, Math.max(0, ...predecessors(name).map((each) => (columns.get(each) ?? -1) + 1)));
    }
  }
  return columns;
}

function drawEdges({ name, replaces, skips = [] }: ChannelEntry, placed: ReadonlyMap<string, PlacedBundle>, box: number): string[] {
  const to = placed.get(name);
  const draw = (from: PlacedBundle | undefined, style: string) => {
    if (from === undefined || to === undefined) return [];
    return [`<path${style} d="${routeEdge(from, to, box, style === "" ? 11 : 6)}" marker-end="url(#arrow)"/>`];
  };
  return [...(replaces ? draw(placed.get(replaces), "") : []), ...skips.flatMap((skipped) => draw(placed.get(skipped), ' class="skips"'))];
}

/** A curve to the next column. Other edges pass above the row of the older bundle, because boxes may be in the way. */
function routeEdge(from: PlacedBundle, to: PlacedBundle, box: number, above: number): string {
  const [x1, y1, x2, y2] = [from.x + box, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
  if (to.column === from.column + 1) return `M${x1} ${y1}C${x1 + GUTTER / 2} ${y1} ${x2 - GUTTER / 2} ${y2} ${x2} ${y2}`;
  const [out, into, pass] = [x1 + BEND, x2 - BEND, from.y - above];
  return `M${x1} ${y1}C${out - 6} ${y1} ${out - 6} ${pass} ${out} ${pass}L${into} ${pass}C${into + 6} ${pass} ${into + 6} ${y2} ${x2} ${y2}`;
}

const LEGEND_WIDTH = 480;

function drawLegend(top: number): string[] {
  const box = (x: number, kind: PlacedBundle["kind"], text: string) =>
    `<rect class="${kind}" x="${x}" y="6" width="14" height="10" rx="2"/><text class="note" x="${x + 20}" y="15">${text}</text>`;
  const edge = (x: number, style: string, text: string) =>
    `<path${style} d="M${x} 11L${x + 26} 11" marker-end="url(#arrow)"/><text class="note" x="${x + 32}" y="15">${text}</text>`;
  return [
    `<g transform="translate(0 ${top})">`,
    edge(MARGIN, "", "is replaced by"),
    edge(MARGIN + 110, ' class="skips"', "is skipped by"),
    box(MARGIN + 220, "head", "head"),
    box(MARGIN + 275, "deprecated", "deprecated"),
    box(MARGIN + 355, "missing", "not in the channel"),
    "</g>",
  ];
}

function drawBundle({ name, x, y, note, kind }: PlacedBundle, box: number): string[] {
  return [
    `<rect class="${kind}" x="${x}" y="${y}" width="${box}" height="${HEIGHT}" rx="6"><title>${escapeXml(name)}</title></rect>`,
    `<text x="${x + 8}" y="${y + 22}">${escapeXml(shorten(name))}</text>`,
    ...(note === "" ? [] : [`<text class="note" x="${x + 8}" y="${y + HEIGHT + 11}">${escapeXml(note)}</text>`]),
  ];
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escapeXml(text: string): string {
  // Control characters are not allowed in XML, however they are written.
  return text.replaceAll(/[&<>"]/g, (char) => ENTITIES[char]!).replaceAll(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, "\ufffd");
}
