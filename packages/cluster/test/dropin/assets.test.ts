import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { formatEtcdHelp } from "../../src/dropin/etcd/etcd-help.ts";
import { parseTokenFile } from "../../src/dropin/kube-apiserver/cluster-options.ts";
import { formatServerHelp } from "../../src/dropin/kube-apiserver/server-help.ts";

const asset = (name: string) => path.join(import.meta.dirname, "../../assets", name);

test.each([
  ["kube-apiserver", formatServerHelp],
  ["etcd", formatEtcdHelp],
])("keeps the %s script executable and its help file up to date", (name, help) => {
  expect(readFileSync(asset(`${name}.help`), "utf8")).toBe(help());
  expect(statSync(asset(name)).mode & 0o111).toBe(0o111);
  expect(readFileSync(asset(`${name}.cmd`), "utf8")).toContain(`dist\\dropin\\${name}.js`);
});

test("parses a token file with quoted groups", () => {
  expect(parseTokenFile('a,ana,1,"g1,g2"\n\nb,ben,2,g3\nc,"chris, the third",3\n', "x")).toEqual({
    a: { name: "ana", uid: "1", groups: ["g1", "g2"] },
    b: { name: "ben", uid: "2", groups: ["g3"] },
    c: { name: "chris, the third", uid: "3", groups: [] },
  });
  expect(() => parseTokenFile("a,b", "x")).toThrow("token file 'x' must have at least 3 columns (token, user name, user uid), found 2");
});
