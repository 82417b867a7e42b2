/**
 * `npm run bench:profile [operator|cache|server...]`: the three hottest paths under V8's profilers, against a real API server: an operator that converges, a cache
 * that fills, and the embedded API server under creates. Writes bench/results/profiles/<path>.{cpu,heap}.txt.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Arena, arena } from "../frame/arena.ts";
import { crowd } from "../frame/crowd.ts";
import { fill } from "../frame/pods.ts";
import type { Side } from "../frame/sides.ts";
import { filled } from "../frame/synced.ts";
import { hot, hotText } from "./hot.ts";
import { server } from "./server.ts";

const { values, positionals } = parseArgs({ options: { quick: { type: "boolean" } }, allowPositionals: true });
const isWanted = (name: string) => positionals.length === 0 || positionals.includes(name);
const sizes = values.quick ? { objects: 50, pods: 200, creates: 200 } : { objects: 1_000, pods: 5_000, creates: 10_000 };
const out = fileURLToPath(new URL("../results/profiles/", import.meta.url));
const ROWS = 30;
/** A profile of a large heap takes a while to write. */
const WRITING_MS = 120_000;

mkdirSync(out, { recursive: true });
const KINDS = ["cpu", "heap"] as const;
if (isWanted("operator") || isWanted("cache"))
  await arena({ quick: true, full: false, sides: ["pintle"] }, async (place) => {
    if (isWanted("operator")) for (const kind of KINDS) await under(kind, "operator", (flags) => converging(place, flags));
    if (!isWanted("cache")) return;
    await fill(place.client, "pods", 0, sizes.pods);
    for (const kind of KINDS) await under(kind, "cache", (flags) => filling(place, flags));
  });
if (isWanted("server")) for (const kind of KINDS) await under(kind, "server", (flags) => server(sizes.creates, flags));

/** Node writes its profile into a folder when it ends. */
async function under(kind: "cpu" | "heap", name: string, work: (flags: readonly string[]) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-bench-profile-"));
  try {
    await work([`--${kind}-prof`, `--${kind}-prof-dir=${folder}`]);
    // Its threads write one each: the main one did most.
    const profiles = readdirSync(folder).map((file) => hot(JSON.parse(readFileSync(path.join(folder, file), "utf8"))));
    const weight = (of: (typeof profiles)[number]) => of.reduce((sum, { self }) => sum + self, 0);
    const [heaviest] = profiles.sort((a, b) => weight(b) - weight(a));
    if (heaviest === undefined) throw new Error(`${name} left no profile`);
    const text = hotText(heaviest, kind === "cpu" ? "ms" : "KB", ROWS);
    writeFileSync(path.join(out, `${name}.${kind}.txt`), `${text}\n`);
    console.log(`## ${name}, ${kind}\n\n${text}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Our side, with more flags for Node. */
function flagged(place: Arena, flags: readonly string[]): Side {
  const side = place.sides.find(({ name }) => name === "pintle")!;
  const add = ([node = "", ...args]: readonly string[]) => [node, ...flags, ...args];
  return { ...side, operator: (ports) => add(side.operator(ports)), cache: (of, metadataOnly) => add(side.cache(of, metadataOnly)!) };
}

async function converging(place: Arena, flags: readonly string[]): Promise<void> {
  const all = crowd(place.client);
  const program = await place.operator(flagged(place, flags));
  await all.grow(0, sizes.objects);
  await all.settled(sizes.objects);
  await program.stop(WRITING_MS);
  await all.stop();
  await all.clear();
}

async function filling(place: Arena, flags: readonly string[]): Promise<void> {
  const program = place.cache(flagged(place, flags), "pods", false)!;
  await filled(program, sizes.pods);
  await program.stop(WRITING_MS);
}
