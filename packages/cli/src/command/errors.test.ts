import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { formatError } from "./errors.ts";

function catchError(action: () => void): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error("the action did not throw");
}

test("formats an error of the file system as one sentence with path and reason", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-errors-"));
  const file = path.join(folder, "file");
  writeFileSync(file, "");
  const advice = "make it accessible to this user, or use another folder (PINTLE7028)";
  expect(formatError(catchError(() => mkdirSync(path.join(file, "a"), { recursive: true })))).toBe(
    `error: cannot write to ${file}/a: a part of the path is a file (ENOTDIR); ${advice}`,
  );
  expect(formatError(catchError(() => mkdirSync(file)))).toBe(`error: cannot write to ${file}: a file is in its place (EEXIST); ${advice}`);
  rmSync(folder, { recursive: true });
  const readOnly = Object.assign(new Error("EROFS: read-only file system, open '/a'"), { code: "EROFS", syscall: "open", path: "/a" });
  expect(formatError(readOnly)).toBe(`error: cannot open /a: the file system is read-only (EROFS); ${advice}`);
});

test("leaves other errors as they are", () => {
  expect(formatError(new Error("no such thing"))).toBe("error: no such thing");
});
