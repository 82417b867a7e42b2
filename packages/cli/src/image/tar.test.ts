import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { type Entry, tar } from "./tar.ts";

const text = (path: string, data: string, mode = 0o644): Entry => ({ path, mode, data: Buffer.from(data) });
const far = `usr/${"long-folder/".repeat(30)}file`;
const ENTRIES: readonly Entry[] = [
  text("usr/bin/node", "program", 0o755),
  text(far, "far away"),
  text(`usr/${"b".repeat(90)}/${"c".repeat(90)}`, "in two fields"),
  { path: "bin", mode: 0o777, link: "usr/bin" },
  { path: "usr/far", mode: 0o777, link: `../${far}` },
  { path: "tmp/", mode: 0o1777 },
];

test("the same entries are the same bytes, in whatever order", () => {
  expect(tar([...ENTRIES].reverse()).equals(tar(ENTRIES))).toBe(true);
});

const hasTar = spawnSync("tar", ["--version"]).status === 0;
if (!hasTar) console.warn("\n!!! SKIPPED: no tar on the PATH, so nobody else has read the archives.\n");

test.skipIf(!hasTar)("tar reads them: modes, links, and names that are too long for a header", () => {
  const read = (...words: string[]) => execFileSync("tar", words, { input: tar(ENTRIES), encoding: "utf8" });
  const listed = read("-tvf", "-");
  expect(listed).toMatch(/^-rwxr-xr-x (0\/0|root\/root) .* usr\/bin\/node$/m);
  expect(listed).toMatch(/^drwxrwxrwt .* tmp\/$/m);
  expect(listed).toMatch(/^lrwxrwxrwx .* bin -> usr\/bin$/m);
  expect(listed).toContain(` usr/far -> ../${far}\n`);
  expect(read("-xOf", "-", far)).toBe("far away");
  expect(read("-xOf", "-", `usr/${"b".repeat(90)}/${"c".repeat(90)}`)).toBe("in two fields");
});
