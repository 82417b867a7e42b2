import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findViolation, listImports } from "./boundaries.ts";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

test.each([
  ["packages/pintle/src/client/a.ts", "../cache/index.ts", /client may not import cache/],
  ["packages/pintle/src/kinds/a.ts", "../client/index.ts", /kinds may not import client \(allowed: json, errors\)/],
  ["packages/pintle/src/controller/a.ts", "../manager/index.ts", /controller may not import manager/],
  ["packages/pintle/src/controller/a.ts", "../cache/store.ts", /private to cache/],
  ["packages/pintle/src/index.ts", "./cache/store.ts", /private to cache/],
  ["packages/cluster/src/access/a.ts", "../api/http/web-socket/index.ts", /private to api: import api\/index\.ts/],
  ["packages/cluster/test/store/a.ts", "../../src/schema/re2/index.ts", /private to schema/],
  ["packages/pintle/src/cache/a.ts", "@pintle/cluster", /packages\/pintle may not import @pintle\/cluster/],
  ["packages/cluster/src/api/a.ts", "../../../pintle/src/client/index.ts", /may not leave packages\/cluster/],
  ["packages/cluster/src/api/a.ts", "@pintle/cli", /may not import @pintle\/cli/],
  ["examples/memcached/src/a.ts", "create-pintle", /may not import create-pintle/],
])("%s may not import %s", (file, specifier, why) => {
  expect(findViolation(file, specifier)).toMatch(why);
});

test.each([
  ["packages/pintle/src/controller/a.ts", "../cache/index.ts"],
  ["packages/pintle/src/controller/a.ts", "./plan.ts"],
  ["packages/pintle/src/controller/deep/a.ts", "../plan.ts"],
  ["packages/pintle/src/manager/a.ts", "../kinds/generated/coordination/v1.ts"],
  ["packages/pintle/src/index.ts", "./manager/index.ts"],
  ["packages/cluster/src/api/a.ts", "../schema/cel/index.ts"],
  ["packages/cluster/src/api/a.ts", "pintle/client"],
  ["packages/cluster/src/api/a.ts", "node:http2"],
  ["conformance/a.ts", "@pintle/cluster"],
])("%s may import %s", (file, specifier) => {
  expect(findViolation(file, specifier)).toBeUndefined();
});

test("every form of import is seen, comments are not", () => {
  const text = `import a from "a";\nimport "b";\nexport * from "c";\nimport type { D } from 'd';\nconst e = await import("e");\n// import "f"\n/* import "g" */ const url = "https://x"; import { h,\n i } from "h";`;
  expect(listImports(text)).toEqual(["a", "b", "c", "d", "e", "h"]);
});

describe("the command", () => {
  let checkout: string;
  beforeEach(() => {
    checkout = mkdtempSync(path.join(tmpdir(), "boundaries-"));
    for (const file of ["kinds/index.ts", "client/index.ts", "client/http/index.ts", "client/http/pool.ts", "client/access/exec/run.ts"])
      write(`packages/pintle/src/${file}`, "export {};\n");
  });
  afterEach(() => rmSync(checkout, { recursive: true }));
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(checkout, file)), { recursive: true });
    writeFileSync(path.join(checkout, file), text);
  };
  const check = () =>
    spawnSync(process.execPath, ["--import", "tsx", path.join(root, "scripts/boundaries.ts"), checkout], { cwd: root, encoding: "utf8" });

  test("passes without a forbidden import", () => {
    write("packages/pintle/src/client/a.ts", `import "../kinds/index.ts";\nimport "./http/index.ts";\n`);
    expect(check()).toMatchObject({ status: 0, stdout: "import boundaries: 6 files, 0 forbidden imports\n" });
  });

  test("fails on every kind of forbidden import", () => {
    write("packages/pintle/src/kinds/a.ts", `import "../client/index.ts";\n`);
    write("packages/pintle/src/client/a.ts", `import "./http/pool.ts";\nimport "./access/exec/run.ts";\n`);
    write("packages/pintle/src/cache/a.ts", `import "../client/http/index.ts";\n`);
    write("packages/pintle/src/new/a.ts", `import "../kinds/index.ts";\n`);
    write("packages/new/package.json", "{}");
    const { status, stderr } = check();
    expect(status).toBe(1);
    expect(stderr.trim().split("\n").sort()).toEqual([
      expect.stringMatching(/^packages\/new: not listed in PACKAGES/),
      expect.stringMatching(/cache\/a\.ts: .*client\/http\/index\.ts is private to client/),
      expect.stringMatching(/client\/a\.ts: .*access\/exec has no index\.ts and is private to/),
      expect.stringMatching(/client\/a\.ts: .*http\/pool\.ts is private to packages\/pintle\/src\/client\/http/),
      expect.stringMatching(/kinds\/a\.ts: .*kinds may not import client/),
      expect.stringMatching(/new\/a\.ts: .*the folder new is not listed in FOLDERS/),
    ]);
  });
});

const INDEXED = new Set(["packages/pintle/src/client", "packages/pintle/src/client/http"]);
const hasIndex = (folder: string) => INDEXED.has(folder);

test.each([
  ["a folder with an index.ts through it", "client/verbs.ts", "./http/index.ts"],
  ["a folder without one from its parent folder", "client/verbs.ts", "./access/kubeconfig.ts"],
  ["a folder without one from a sibling folder", "client/http/pool.ts", "../access/kubeconfig.ts"],
  ["a file of an enclosing folder", "client/http/pool.ts", "../errors.ts"],
])("allows to import %s", (_, file, specifier) => {
  expect(findViolation(`packages/pintle/src/${file}`, specifier, hasIndex)).toBeUndefined();
});

test.each([
  ["past an index.ts", "client/verbs.ts", "./http/pool.ts", /private to packages\/pintle\/src\/client\/http: import/],
  [
    "from below another folder's private folder",
    "client/verbs.ts",
    "./access/exec/run.ts",
    /access\/exec has no index.ts and is private to/,
  ],
])("forbids to import %s", (_, file, specifier, why) => {
  expect(findViolation(`packages/pintle/src/${file}`, specifier, hasIndex)).toMatch(why);
});
