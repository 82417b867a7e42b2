import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { createTar, type TarEntry } from "./create-tar.ts";

const text = (path: string, data: string, mode = 0o644): TarEntry => ({ path, mode, data: Buffer.from(data) });
const far = `usr/${"long-folder/".repeat(30)}file`;
const ENTRIES: readonly TarEntry[] = [
  text("usr/bin/node", "program", 0o755),
  text(far, "far away"),
  text(`usr/${"b".repeat(90)}/${"c".repeat(90)}`, "in two fields"),
  { path: "bin", mode: 0o777, link: "usr/bin" },
  { path: "usr/far", mode: 0o777, link: `../${far}` },
  { path: "tmp/", mode: 0o1777 },
];

test("produces the same bytes for the same entries in any order", () => {
  expect(createTar([...ENTRIES].reverse()).equals(createTar(ENTRIES))).toBe(true);
});

const hasTar = spawnSync("tar", ["--version"]).status === 0;
if (!hasTar) console.warn("\n!!! SKIPPED: no tar on the PATH, so the archives are not read by another program.\n");

test.skipIf(!hasTar)("writes modes, links and long names that tar can read", () => {
  const read = (...words: string[]) => execFileSync("tar", words, { input: createTar(ENTRIES), encoding: "utf8" });
  const listed = read("-tvf", "-");
  expect(listed).toMatch(/^-rwxr-xr-x (0\/0|root\/root) .* usr\/bin\/node$/m);
  expect(listed).toMatch(/^drwxrwxrwt .* tmp\/$/m);
  expect(listed).toMatch(/^lrwxrwxrwx .* bin -> usr\/bin$/m);
  expect(listed).toContain(` usr/far -> ../${far}\n`);
  expect(read("-xOf", "-", far)).toBe("far away");
  expect(read("-xOf", "-", `usr/${"b".repeat(90)}/${"c".repeat(90)}`)).toBe("in two fields");
});
