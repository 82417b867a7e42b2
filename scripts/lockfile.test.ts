import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface LockedPackage {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
const { packages } = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

/**
 * npm drops the variants of other platforms when it writes a lockfile beside a node_modules folder; then `npm ci` fails, and `npm install`
 * rewrites the lockfile on musl or macOS. Repair: copy package.json files and package-lock.json to an empty folder, remove the entries of the
 * package there, and run `npm install --package-lock-only`. A version whose variants are not all published cannot be locked.
 */
test("the lockfile has the variants of optional native packages for every platform, glibc and musl", () => {
  const locked = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, "")));
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !locked.has(name))
      .map((name) => `${name} of ${path}`),
  );
  expect(missing).toEqual([]);
  expect([...locked].filter((name) => name.includes("linux-x64-musl")).length).toBeGreaterThan(2);
});

test("the lockfile names no registry, so that it works with any", () => {
  expect(Object.entries(packages).flatMap(([path, { resolved, link }]) => (resolved === undefined || link ? [] : [path]))).toEqual([]);
});
