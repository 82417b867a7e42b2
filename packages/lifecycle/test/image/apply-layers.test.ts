import { execFileSync, spawnSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { applyLayers, collectBytes, createBlob, MEDIA_TYPES, type UnpackLimits } from "../../src/image/index.ts";
import { type RawEntry, writeTar } from "./write-tar.ts";

const LIMITS: UnpackLimits = { maxBytes: 1 << 20, maxEntries: 1000 };
const layer = (entries: readonly RawEntry[]) => createBlob(MEDIA_TYPES.layer, writeTar(entries));
const unpack = async (layers: readonly ReturnType<typeof layer>[], folders: readonly string[] = ["configs"], limits = LIMITS) => {
  const files = await applyLayers(layers, folders, async (content) => Buffer.from(await collectBytes(content)).toString(), limits);
  return Object.fromEntries(files);
};

describe("applyLayers", () => {
  test("returns the files below the wanted folders, the last layer first", async () => {
    const layers = [
      layer([
        { path: "etc/passwd", data: "root" },
        { path: "configs/", flag: "5" },
        { path: "configs/a", data: "1" },
        { path: "./configs/b", data: "2" },
      ]),
      layer([
        { path: "/configs/a", data: "3" },
        { path: "configs/sub/c", data: "4" },
        { path: "configsextra", data: "no" },
      ]),
    ];
    expect(await unpack(layers)).toEqual({ "configs/a": "3", "configs/b": "2", "configs/sub/c": "4" });
    expect(Object.keys(await unpack(layers, ["etc", "/configs/sub/"]))).toEqual(["etc/passwd", "configs/sub/c"]);
    expect(Object.keys(await unpack(layers, ["/"]))).toHaveLength(5);
  });

  test("whiteouts hide what lower layers have, and only that", async () => {
    const first = layer([
      { path: "configs/a", data: "1" },
      { path: "configs/d/x", data: "2" },
      { path: "configs/d/y", data: "3" },
    ]);
    expect(await unpack([first, layer([{ path: "configs/.wh.a" }])])).toEqual({ "configs/d/x": "2", "configs/d/y": "3" });
    const opaque = layer([{ path: "configs/d/z", data: "4" }, { path: "configs/d/.wh..wh..opq" }]);
    expect(await unpack([first, opaque])).toEqual({ "configs/a": "1", "configs/d/z": "4" });
    expect(await unpack([first, layer([{ path: ".wh.configs" }])])).toEqual({});
    expect(await unpack([first, layer([{ path: "configs/a", data: "new" }, { path: "configs/.wh.a" }])])).toMatchObject({
      "configs/a": "new",
    });
  });

  test("links to files are their content", async () => {
    const entries: RawEntry[] = [
      { path: "configs/real", data: "text" },
      { path: "configs/hard", flag: "1", target: "configs/real" },
      { path: "configs/d/relative", flag: "2", target: "../real" },
      { path: "configs/absolute", flag: "2", target: "/configs/d/relative" },
    ];
    expect(Object.values(await unpack([layer(entries)]))).toEqual(["text", "text", "text", "text"]);
  });

  test.each<readonly [string, readonly RawEntry[], RegExp]>([
    ["a path with ..", [{ path: "configs/../../etc/passwd", data: "x" }], /"configs\/\.\.\/\.\.\/etc\/passwd" has \.\. in its path/],
    ["a path with .. outside of the folder", [{ path: "../x" }], /has \.\. in its path/],
    [
      "a link out of the image",
      [{ path: "configs/a", flag: "2", target: "../../../etc/passwd" }],
      /link to "..\/..\/..\/etc\/passwd", which leads out of the image/,
    ],
    ["a link out of the folder", [{ path: "configs/a", flag: "2", target: "/etc/passwd" }], /leads out of "\/configs"/],
    ["a link to nothing", [{ path: "configs/a", flag: "2", target: "b" }], /does not exist in the image/],
    [
      "a link to a folder",
      [
        { path: "configs/d/x", data: "1" },
        { path: "configs/a", flag: "2", target: "d" },
      ],
      /is a folder/,
    ],
    [
      "links in a circle",
      [
        { path: "configs/a", flag: "2", target: "b" },
        { path: "configs/b", flag: "2", target: "a" },
      ],
      /leads back to itself/,
    ],
    [
      "a file below a link",
      [
        { path: "configs/a", flag: "2", target: "/etc" },
        { path: "configs/a/passwd", data: "x" },
      ],
      /below the link "a"/,
    ],
    [
      "a file below a file",
      [
        { path: "configs/a", data: "1" },
        { path: "configs/a/b", data: "x" },
      ],
      /below "a", which is a file/,
    ],
    ["a hard link out", [{ path: "configs/a", flag: "1", target: "etc/passwd" }], /hard link to "etc\/passwd"/],
    ["a hard link with ..", [{ path: "configs/a", flag: "1", target: "../../etc/passwd" }], /has \.\./],
    ["a device", [{ path: "configs/a", flag: "3" }], /"configs\/a" is a device/],
    ["a block device", [{ path: "configs/a", flag: "4" }], /is a device/],
    ["a named pipe", [{ path: "configs/a", flag: "6" }], /^layer 2 of 2: .* is a named pipe/],
    [
      "a backslash",
      [
        { path: "configs\\..\\a", data: "1" },
        { path: "configs/..\\a", data: "1" },
      ],
      /backslash/,
    ],
    ["a long name", [{ path: `configs/${"a".repeat(256)}`, data: "1" }], /name of more than 255 bytes/],
    ["a deep folder", [{ path: `configs/${"a/".repeat(200)}b`, data: "1" }], /more than 128 folders deep/],
    ["a file that is cut off", [{ path: "configs/a", data: "1", size: 5000 }], /cut off/],
    ["a negative size", [{ path: "configs/a", data: "1", size: -1 }], /octal/],
    ["too many entries", Array.from({ length: 1001 }, (_, i) => ({ path: `configs/${i}` })), /more than 1000 files/],
    ["too many bytes", [{ path: "etc/zeros", data: Buffer.alloc(2 << 20) }], /unpacks to more than 1 MiB/],
  ])("%s is refused by name", async (_, entries, message) => {
    await expect(unpack([layer([]), layer(entries)])).rejects.toThrow(message);
  });

  test("a bomb is stopped after the limit, not after it was unpacked", async () => {
    const bomb = gzipSync(Buffer.alloc(64 << 20));
    let read = 0;
    const blob = createBlob(MEDIA_TYPES.gzipLayer, bomb);
    const counted = {
      ...blob,
      async *chunks() {
        for (let at = 0; at < bomb.length; at += 1024) {
          read += 1024;
          yield bomb.subarray(at, at + 1024);
        }
      },
    };
    await expect(unpack([counted])).rejects.toThrow(/unpacks to more than 1 MiB/);
    const tar = gzipSync(writeTar([{ path: "configs/zeros", data: Buffer.alloc(64 << 20) }]));
    read = 0;
    const other = { ...createBlob(MEDIA_TYPES.gzipLayer, tar), chunks: () => pieces(tar, () => (read += 1024)) };
    await expect(unpack([other])).rejects.toThrow(/unpacks to more than 1 MiB/);
    expect(read).toBeLessThan(tar.length / 2);
  });

  test.each([
    ["gzip", (tar: Buffer) => gzipSync(tar).subarray(0, -20), /not valid gzip: unexpected end of file/],
    ["gzip data", (tar: Buffer) => Buffer.concat([Buffer.from([0x1f, 0x8b]), tar]), /not valid gzip/],
    ["zstd magic", () => Buffer.from("28b52ffd00", "hex"), /not valid zstd/],
    ["zstd window", () => Buffer.concat([Buffer.from("28b52ffd00ff", "hex"), Buffer.alloc(20)]), /MiB of memory/],
    [
      "zstd window in a later frame",
      () => Buffer.concat([EMPTY_ZSTD, Buffer.from("28b52ffd00ff", "hex"), Buffer.alloc(20)]),
      /MiB of memory/,
    ],
    ["text", () => Buffer.alloc(2000, "hello "), /checksum of a header is wrong/],
  ])("damaged %s is refused", async (_, damage, message) => {
    const bytes = damage(writeTar([{ path: "configs/a", data: "1".repeat(10_000) }]));
    await expect(unpack([createBlob(MEDIA_TYPES.layer, bytes)])).rejects.toThrow(message);
  });

  test("content that does not match its digest is refused", async () => {
    const blob = layer([{ path: "configs/a", data: "1" }]);
    const { createStreamedBlob } = await import("../../src/image/blob.ts");
    const other = createStreamedBlob(blob, "here", () => pieces(Buffer.from(writeTar([{ path: "configs/a", data: "2" }])), () => {}));
    await expect(unpack([other])).rejects.toThrow(/does not match its digest/);
    const longer = createStreamedBlob(blob, "here", () => pieces(Buffer.alloc(1 << 20), () => {}));
    await expect(collectBytes(longer.chunks())).rejects.toThrow(/longer than the 2048 bytes/);
  });
});

/** A frame with an empty last block, and a skippable frame. */
const EMPTY_ZSTD = Buffer.concat([Buffer.from("28b52ffd0000010000", "hex"), Buffer.from("502a4d1803000000616263", "hex")]);

async function* pieces(bytes: Buffer, onPiece: () => void) {
  for (let at = 0; at < bytes.length; at += 1024) {
    onPiece();
    yield bytes.subarray(at, at + 1024);
  }
}

const hasTools = ["tar", "zstd"].every((program) => spawnSync(program, ["--version"]).status === 0);
if (!hasTools) console.warn("\n!!! SKIPPED: no tar or zstd on the PATH, so no archives of other programs are read.\n");

test.skipIf(!hasTools).each([
  ["ustar", "cat"],
  ["pax", "gzip"],
  ["gnu", "zstd"],
  ["v7", "zstd -19"],
])("reads archives of tar --format=%s through %s", async (format, compressor) => {
  const { mkdtempSync, mkdirSync, rmSync, symlinkSync, linkSync, writeFileSync } = await import("node:fs");
  const { tmpdir } = await import("node:os");
  const { join } = await import("node:path");
  const folder = mkdtempSync(join(tmpdir(), "pintle-tar-"));
  const long = format === "v7" || format === "ustar" ? "short" : `${"long-".repeat(25)}name`;
  mkdirSync(join(folder, "configs", long), { recursive: true });
  const text = Array.from({ length: 40_000 }, (_, i) => `line ${i * i}\n`).join("");
  writeFileSync(join(folder, "configs", long, "file"), text);
  linkSync(join(folder, "configs", long, "file"), join(folder, "configs", "same"));
  symlinkSync("same", join(folder, "configs", "link"));
  const command = `tar --format=${format} -cf - configs | ${compressor}`;
  const bytes = execFileSync("sh", ["-c", command], { cwd: folder, maxBuffer: 1 << 26 });
  rmSync(folder, { recursive: true });
  const files = await unpack([createBlob(MEDIA_TYPES.layer, bytes)], ["configs"], {
    maxBytes: 1 << 24,
    maxEntries: 10,
  });
  expect(files).toEqual({ [`configs/${long}/file`]: text, "configs/link": text, "configs/same": text });
});
