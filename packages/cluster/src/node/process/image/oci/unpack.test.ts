import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { inside } from "./inside.ts";
import { unpack } from "./unpack.ts";

let folder = "";
let root = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "pintle-unpack-"));
  root = path.join(folder, "root");
  mkdirSync(root);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** An archive that tar itself has made. */
function archive(make: (at: string) => void): Buffer {
  const at = mkdtempSync(path.join(folder, "layer-"));
  make(at);
  return execFileSync("tar", ["-C", at, "-cf", "-", "."]);
}
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

test("files, folders, links and long names, packed or not", async () => {
  const long = `${"long/".repeat(40)}name`;
  const layer = archive((at) => {
    mkdirSync(path.join(at, "bin"));
    writeFileSync(path.join(at, "bin/tool"), "#!/bin/sh\n", { mode: 0o755 });
    symlinkSync("/bin/tool", path.join(at, "link"));
    mkdirSync(path.dirname(path.join(at, long)), { recursive: true });
    writeFileSync(path.join(at, long), "deep");
  });
  await unpack(gzipSync(layer), root, false);
  expect(read("bin/tool")).toBe("#!/bin/sh\n");
  expect(read(long)).toBe("deep");
  expect(await inside(root, "/link")).toBe("/bin/tool");
});

test("a later layer hides what an earlier one brought", async () => {
  await unpack(
    archive((at) => {
      mkdirSync(path.join(at, "kept"));
      for (const file of ["gone", "kept/old", "kept/other"]) writeFileSync(path.join(at, file), "1");
    }),
    root,
    false,
  );
  await unpack(
    archive((at) => {
      mkdirSync(path.join(at, "kept"));
      for (const file of [".wh.gone", "kept/.wh.old"]) writeFileSync(path.join(at, file), "");
    }),
    root,
    false,
  );
  expect([existsSync(path.join(root, "gone")), existsSync(path.join(root, "kept/old")), read("kept/other")]).toEqual([false, false, "1"]);
});

test("nothing gets out through a link", async () => {
  const outside = path.join(folder, "outside");
  mkdirSync(outside);
  await unpack(
    archive((at) => symlinkSync(outside, path.join(at, "way"))),
    root,
    false,
  );
  await unpack(
    archive((at) => {
      mkdirSync(path.join(at, "way"));
      writeFileSync(path.join(at, "way/file"), "1");
    }),
    root,
    false,
  );
  expect(existsSync(path.join(outside, "file"))).toBe(false);
  expect(await inside(root, "/way/../../../etc/passwd")).toBe("/etc/passwd");
});
