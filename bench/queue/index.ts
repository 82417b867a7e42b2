import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Options, type Outcome, sized } from "../frame/outcome.ts";
import { published } from "../frame/published.ts";
import { number, spreads } from "../frame/spread.ts";
import type { Column, Row } from "../frame/table.ts";
import { built } from "../peers/built.ts";

const SIZES = {
  quick: { sizes: [1_000], rounds: 1 },
  usual: { sizes: [1_000, 100_000], rounds: 5 },
  full: { sizes: [1_000, 100_000, 1_000_000], rounds: 7 },
};
const COLUMNS: readonly Column[] = [
  { name: "add", unit: "µs", better: "less", digits: 2 },
  { name: "add again", unit: "µs", better: "less", digits: 2 },
  { name: "run", unit: "µs", better: "less", digits: 2 },
];

const LEAST_OPERATIONS = 50_000;

interface Figures {
  readonly add: number;
  readonly "add again": number;
  readonly run: number;
}

/** CPU time for each operation of the work queue, with so many keys in it. kube-rs's scheduler cannot be had on its own. */
export async function run(options: Options): Promise<Outcome> {
  const { sizes, rounds } = sized(options, SIZES);
  const ours = await published([fileURLToPath(new URL("ours.ts", import.meta.url))]);
  const { commands, missing } = await built(["controller-runtime"]);
  const theirs = commands.get("controller-runtime");
  // Few keys are worked through in no time: more rounds tell more.
  const repeats = (keys: number) => Math.max(rounds, Math.ceil(LEAST_OPERATIONS / keys));
  const goSide = (queue: string) => (keys: number) => [
    ...theirs!,
    "queue",
    `--queue=${queue}`,
    `--keys=${keys}`,
    `--rounds=${repeats(keys)}`,
  ];
  const sides: Record<string, (keys: number) => readonly string[]> = {
    pintle: (keys) => [process.execPath, path.join(ours, "ours.js"), String(keys), String(repeats(keys))],
    ...(theirs === undefined ? {} : { "controller-runtime, priority queue": goSide("priority"), "client-go workqueue": goSide("plain") }),
  };
  try {
    const rows: Row[] = [];
    for (const keys of sizes)
      for (const [side, command] of Object.entries(sides)) {
        const [program = "", ...args] = command(keys);
        const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 1 << 24 });
        const figures = stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as Figures);
        rows.push({ case: `${number(keys)} keys`, side, figures: spreads(figures) });
      }
    const note =
      "CPU of all threads. run: taken, worked on by nobody, and let go; ours includes the promise and the turn of the loop that a reconcile gets.";
    return { tables: [{ title: "Queue operations", columns: COLUMNS, rows, note }], missing };
  } finally {
    rmSync(ours, { recursive: true, force: true });
  }
}
