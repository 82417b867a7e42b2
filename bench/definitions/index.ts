import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { run as runTool } from "../../conformance/clients/run.ts";
import { type Options, type Outcome, sized } from "../frame/outcome.ts";
import { published } from "../frame/published.ts";
import { spreads } from "../frame/spread.ts";
import type { Column, Row } from "../frame/table.ts";
import { turns } from "../frame/turns.ts";
import { built } from "../peers/built.ts";
import { goSources, kinds } from "./schemas.ts";

const SIZES = {
  quick: { count: 2, parts: 3, repeats: 1 },
  usual: { count: 50, parts: 20, repeats: 3 },
  full: { count: 200, parts: 40, repeats: 5 },
};
const COLUMNS: readonly Column[] = [
  { name: "time", unit: "s", better: "less", digits: 2 },
  { name: "size", unit: "KB of YAML", better: "less", digits: 0 },
];
/** Longer than that is no figure. */
const LATE_MS = 600_000;

/** Making the CustomResourceDefinitions of a large API, from the start of the program: what a developer waits for after a change. */
export async function run(options: Options): Promise<Outcome> {
  const { count, parts, repeats } = sized(options, SIZES);
  const { commands, missing: notBuilt } = await built(["controller-gen"]);
  const missing = { ...notBuilt };
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-bench-definitions-"));
  const ours = await published([fileURLToPath(new URL("ours.ts", import.meta.url))]);
  const tool = (program: string, args: readonly string[]) =>
    runTool(program, args, { folder, env: { GOFLAGS: "-mod=mod", GOWORK: "off" }, signal: AbortSignal.timeout(LATE_MS) });
  try {
    const sides = [
      {
        name: "pintle",
        make: async () => Number(await tool(process.execPath, [path.join(ours, "ours.js"), String(count), String(parts)])),
      },
    ];
    const [generator] = commands.get("controller-gen") ?? [];
    if (generator !== undefined) {
      for (const file of ["go.mod", "go.sum"]) cpSync(path.join(path.dirname(generator), file), path.join(folder, file));
      mkdirSync(path.join(folder, "api"));
      writeFileSync(path.join(folder, "api/types.go"), goSources(kinds(count, parts)));
      const out = path.join(folder, "definitions");
      sides.push({
        name: "controller-gen",
        async make() {
          await tool(generator, ["crd", "paths=./...", `output:crd:dir=${out}`]);
          return readdirSync(out).reduce((sum, file) => sum + readFileSync(path.join(out, file)).length, 0);
        },
      });
    }
    const rounds = await turns(sides, { repeats, missing }, async ({ make }) => {
      const started = performance.now();
      const bytes = await make();
      return { time: (performance.now() - started) / 1000, size: bytes / 1024 };
    });
    const rows = [...rounds].map(
      ([side, figures]): Row => ({ case: `${count} kinds of ${parts * 8} fields`, side, figures: spreads(figures) }),
    );
    return { tables: [{ title: "CRD generation", columns: COLUMNS, rows }], missing };
  } finally {
    for (const each of [folder, ours]) rmSync(each, { recursive: true, force: true });
  }
}
