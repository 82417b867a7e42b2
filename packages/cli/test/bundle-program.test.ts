import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { bundleProgram } from "../src/image/index.ts";
import { findProject } from "../src/project/index.ts";
import { createTestProject, shopProject } from "./test-project.ts";

test("keeps the named exports of a dynamically imported CommonJS package", { timeout: 60_000 }, async () => {
  using here = createTestProject({
    ...shopProject(),
    "node_modules/old-thing/package.json": JSON.stringify({ name: "old-thing", version: "1.0.0" }),
    "node_modules/old-thing/index.js": 'exports.named = "here"; exports.twice = (text) => text + text;\n',
    "src/main.ts": 'const { named, twice, default: whole } = await import("old-thing");\nconsole.log(named, twice("a"), whole.named);\n',
  });
  const { code, dependencies } = await bundleProgram(await findProject(here.root));
  for (const { path: file, data } of [...code, ...dependencies]) {
    mkdirSync(path.dirname(path.join(here.root, "out", file)), { recursive: true });
    writeFileSync(path.join(here.root, "out", file), data!);
  }
  here.write("out/package.json", '{ "type": "module" }');
  expect(execFileSync(process.execPath, [path.join(here.root, "out/app/main.js")], { encoding: "utf8" })).toBe("here aa here\n");
});
