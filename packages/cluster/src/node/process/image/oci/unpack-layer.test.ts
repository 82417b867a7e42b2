import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { resolveInRoot } from "../path-in-root.ts";
import { unpackLayer } from "./unpack-layer.ts";

let folder = "";
let root = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "pintle-unpack-"));
  root = path.join(folder, "root");
  mkdirSync(root);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Creates an archive with the system's tar. */
function archive(make: (at: string) => void): Buffer {
  const at = mkdtempSync(path.join(folder, "layer-"));
  make(at);
  return execFileSync("tar", ["-C", at, "-cf", "-", "."]);
}
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

test("unpacks files, folders, links and long names from a compressed layer", async () => {
  const long = `${"long/".repeat(40)}name`;
  const layer = archive((at) => {
    mkdirSync(path.join(at, "bin"));
    writeFileSync(path.join(at, "bin/tool"), "#!/bin/sh\n", { mode: 0o755 });
    symlinkSync("/bin/tool", path.join(at, "link"));
    mkdirSync(path.dirname(path.join(at, long)), { recursive: true });
    writeFileSync(path.join(at, long), "deep");
  });
  await unpackLayer(gzipSync(layer), root, false);
  expect(read("bin/tool")).toBe("#!/bin/sh\n");
  expect(read(long)).toBe("deep");
  expect(await resolveInRoot(root, "/link")).toBe("/bin/tool");
});

test("applies the whiteouts of a later layer", async () => {
  await unpackLayer(
    archive((at) => {
      mkdirSync(path.join(at, "kept"));
      for (const file of ["gone", "kept/old", "kept/other"]) writeFileSync(path.join(at, file), "1");
    }),
    root,
    false,
  );
  await unpackLayer(
    archive((at) => {
      mkdirSync(path.join(at, "kept"));
      for (const file of [".wh.gone", "kept/.wh.old"]) writeFileSync(path.join(at, file), "");
    }),
    root,
    false,
  );
  expect([existsSync(path.join(root, "gone")), existsSync(path.join(root, "kept/old")), read("kept/other")]).toEqual([false, false, "1"]);
});

test("writes nothing outside of the root through a link", async () => {
  const outside = path.join(folder, "outside");
  mkdirSync(outside);
  await unpackLayer(
    archive((at) => symlinkSync(outside, path.join(at, "way"))),
    root,
    false,
  );
  await unpackLayer(
    archive((at) => {
      mkdirSync(path.join(at, "way"));
      writeFileSync(path.join(at, "way/file"), "1");
    }),
    root,
    false,
  );
  expect(existsSync(path.join(outside, "file"))).toBe(false);
  expect(await resolveInRoot(root, "/way/../../../etc/passwd")).toBe("/etc/passwd");
});

/** Builds an archive entry by entry: the system's tar refuses such names. */
function buildArchive(
  ...entries: readonly { readonly name: string; readonly type?: string; readonly target?: string; readonly size?: string }[]
): Buffer {
  const blocks = entries.map(({ name, type = "0", target = "", size = "00000000000" }) => {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write("0000644", 100);
    header.write(size, 124);
    header.write(type, 156);
    header.write(target, 157);
    header.write("ustar", 257);
    return header;
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

test.each([".wh.", ".wh..", ".wh...", "deep/.wh...", "deep/deeper/../.wh..."])(
  "refuses the whiteout %s and deletes nothing",
  async (name) => {
    writeFileSync(path.join(folder, "outside"), "1");
    mkdirSync(path.join(root, "deep"));
    writeFileSync(path.join(root, "kept"), "1");
    await expect(unpackLayer(buildArchive({ name }), root, false)).rejects.toThrow("invalid whiteout");
    expect([existsSync(path.join(folder, "outside")), existsSync(path.join(root, "kept"))]).toEqual([true, true]);
  },
);

test("deletes nothing outside of the root through a link in the path of a whiteout", async () => {
  const outside = path.join(folder, "outside");
  mkdirSync(outside);
  writeFileSync(path.join(outside, "file"), "1");
  const way = { name: "way", type: "2", target: outside };
  await unpackLayer(buildArchive(way, { name: "way/.wh.file" }, { name: "way/.wh..wh..opq" }, { name: "../../.wh.outside" }), root, false);
  expect(existsSync(path.join(outside, "file"))).toBe(true);
});

test("links hard only to files in the root, and creates no devices", async () => {
  const secret = path.join(folder, "secret");
  writeFileSync(secret, "key");
  const link = { name: "link", type: "1", target: `../../../../../..${secret}` };
  await expect(unpackLayer(buildArchive(link), root, false)).rejects.toThrow("ENOENT");
  const way = { name: "way", type: "2", target: folder };
  await expect(unpackLayer(buildArchive(way, { name: "link", type: "1", target: "way/secret" }), root, false)).rejects.toThrow("ENOENT");
  await unpackLayer(buildArchive({ name: "char", type: "3" }, { name: "block", type: "4" }, { name: "fifo", type: "6" }), root, false);
  expect(["char", "block", "fifo"].filter((name) => existsSync(path.join(root, name)))).toEqual([]);
});

test("refuses a layer that is cut off, and one that expands beyond the limit", async () => {
  await expect(unpackLayer(buildArchive({ name: "file", size: "00077777777" }), root, false)).rejects.toThrow("damaged or cut off");
  await expect(unpackLayer(gzipSync(Buffer.alloc(1_000_000)), root, false, 500_000)).rejects.toThrow();
});
