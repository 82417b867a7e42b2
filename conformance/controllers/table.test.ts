import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { binary } from "../real/index.ts";

test("docs/fidelity.md says of every controller of kube-controller-manager whether it runs here", () => {
  const help = execFileSync(binary("kube-controller-manager"), ["--help"], { encoding: "utf8" });
  const all = /All controllers: (.*)/.exec(help)![1]!.split(", ");
  const page = readFileSync(path.join(import.meta.dirname, "../../docs/fidelity.md"), "utf8");
  const section = page.slice(page.indexOf("## Controllers"), page.indexOf("## Hostile input"));
  const listed = [...section.matchAll(/^\| ([\w-]+-controller(?:, [\w-]+-controller)*) \|/gm)].flatMap(([, names]) => names!.split(", "));
  expect(listed.sort()).toEqual(all.sort());
});
