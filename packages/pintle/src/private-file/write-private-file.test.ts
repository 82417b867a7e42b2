import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writePrivateFile } from "./index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "pintle-private-"));
});
afterEach(() => rmSync(folder, { recursive: true }));
const at = (...names: string[]) => path.join(folder, ...names);
const mode = (file: string) => (lstatSync(file).mode & 0o777).toString(8);

test("creates the file and its folders for this user only, whatever the umask", () => {
  const umask = process.umask(0);
  try {
    writePrivateFile(at("a", "b", "key"), "secret");
  } finally {
    process.umask(umask);
  }
  expect([mode(at("a")), mode(at("a", "b")), mode(at("a", "b", "key"))]).toEqual(["700", "700", "600"]);
  expect(readFileSync(at("a", "b", "key"), "utf8")).toBe("secret");
});

test("an existing file that others could read gets mode 0600, and others who opened it see nothing new", () => {
  writeFileSync(at("key"), "old");
  chmodSync(at("key"), 0o666);
  const { ino } = statSync(at("key"));
  writePrivateFile(at("key"), "secret");
  expect([mode(at("key")), readFileSync(at("key"), "utf8")]).toEqual(["600", "secret"]);
  expect(statSync(at("key")).ino).not.toBe(ino);
  writePrivateFile(at("certificate"), "public", { mode: 0o644 });
  expect(mode(at("certificate"))).toBe("644");
});

test("replaces a symbolic link and does not touch its target, also one that does not exist", () => {
  writeFileSync(at("target"), "old");
  symlinkSync(at("target"), at("link"));
  symlinkSync(at("missing"), at("dangling"));
  writePrivateFile(at("link"), "secret");
  writePrivateFile(at("dangling"), "secret");
  expect(lstatSync(at("link")).isFile() && lstatSync(at("dangling")).isFile()).toBe(true);
  expect([readFileSync(at("target"), "utf8"), existsSync(at("missing"))]).toEqual(["old", false]);
});

test("refuses folders and devices, and leaves no file behind", () => {
  mkdirSync(at("folder"));
  symlinkSync("/dev/null", at("device"));
  expect(() => writePrivateFile(at("folder"), "secret")).toThrow(expect.objectContaining({ code: "EISDIR" }));
  expect(() => writePrivateFile(at("device"), "secret")).toThrow(/is not a regular file/);
  expect(readdirSync(folder).sort()).toEqual(["device", "folder"]);
});
