/**
 * `npm run bench [name...]`: every folder here with an index.ts is a benchmark that measures us beside a peer in one run.
 * With `-- --full`, those that take long by nature do not cut themselves short.
 * Results are printed, and written to bench/results/<name>.json (not committed).
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = path.dirname(fileURLToPath(import.meta.url));
const all = readdirSync(root).filter((name) => existsSync(path.join(root, name, "index.ts")));
const given = process.argv.slice(2);
const full = given.includes("--full");
const wanted = given.filter((word) => word !== "--full");
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`bench: there is no benchmark ${unknown.join(", ")}; there are: ${all.join(", ")}`);
  process.exit(2);
}

mkdirSync(path.join(root, "results"), { recursive: true });
for (const name of wanted.length > 0 ? wanted : all) {
  console.log(`\n# ${name}`);
  const { run } = (await import(pathToFileURL(path.join(root, name, "index.ts")).href)) as {
    run(options: { readonly full: boolean }): Promise<unknown>;
  };
  writeFileSync(path.join(root, "results", `${name}.json`), `${JSON.stringify(await run({ full }), null, 2)}\n`);
}
