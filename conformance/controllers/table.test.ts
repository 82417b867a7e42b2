/** Compares the table of controllers in docs/fidelity.md with kube-controller-manager and with the controllers that run here. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { binary } from "../real/index.ts";

const root = path.join(import.meta.dirname, "../..");
const page = readFileSync(path.join(root, "docs/fidelity.md"), "utf8");
const section = page.slice(page.indexOf("## Controllers"), page.indexOf("## Hostile input"));
const rows = [...section.matchAll(/^\| ([\w-]+-controller(?:, [\w-]+-controller)*) \| (yes|no) \|/gm)].flatMap(([, names, runs]) =>
  names!.split(", ").map((name) => ({ name, runs: runs === "yes" })),
);

test("docs/fidelity.md lists every controller of kube-controller-manager", () => {
  const help = execFileSync(binary("kube-controller-manager"), ["--help"], { encoding: "utf8" });
  const all = /All controllers: (.*)/.exec(help)![1]!.split(", ");
  expect(rows.map(({ name }) => name).sort()).toEqual(all.sort());
});

test("docs/fidelity.md says of every controller whether it runs here", () => {
  const source = readFileSync(path.join(root, "packages/cluster/src/controllers/index.ts"), "utf8");
  const running = new Set([...source.matchAll(/^ {2}\| "([\w-]+)"/gm)].map(([, name]) => name!));
  expect(rows.filter(({ name, runs }) => runs !== running.has(name))).toEqual([]);
});
