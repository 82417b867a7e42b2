import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { storeChoice } from "./store-choice.ts";

test.each([
  [{}, { store: "memory", where: "" }],
  [{ data: "kept" }, { store: { file: "/home/kept", fsync: false }, where: ", kept in kept" }],
  [
    { data: "/var/kept", fsync: true },
    { store: { file: "/var/kept", fsync: true }, where: ", kept in ../var/kept" },
  ],
  [
    { "etcd-servers": "http://a:2379, http://b:2379", "etcd-prefix": "/dev" },
    {
      store: { etcd: { endpoints: ["http://a:2379", "http://b:2379"], prefix: "/dev" } },
      where: ", kept in etcd at http://a:2379, http://b:2379",
    },
  ],
])("%j", (values, choice) => {
  expect(storeChoice(values, "/home")).toEqual(choice);
});

test.each([
  [{ data: "kept", "etcd-servers": "http://a:2379" }, /--data and --etcd-servers are two places/],
  [{ fsync: true }, /--fsync is about a folder/],
  [{ data: "" }, /--data needs a folder/],
  [{ "etcd-servers": "127.0.0.1:2379" }, /127\.0\.0\.1:2379 is no address/],
  [{ "etcd-cafile": "ca.crt" }, /--etcd-cafile says how to reach --etcd-servers/],
  [{ "etcd-servers": "https://a:2379", "etcd-cafile": "missing.crt" }, /--etcd-cafile: ENOENT/],
])("%j is wrong usage", (values, sentence) => {
  expect(() => storeChoice(values, "/home")).toThrow(expect.objectContaining({ message: expect.stringMatching(sentence), exitCode: 2 }));
});

test("certificates are read from their files, and a certificate needs its key", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-choice-"));
  for (const name of ["ca", "cert", "key"]) writeFileSync(path.join(folder, name), name);
  const files = { "etcd-servers": "https://a:2379", "etcd-cafile": "ca", "etcd-certfile": "cert" };
  expect(storeChoice({ ...files, "etcd-keyfile": "key" }, folder).store).toMatchObject({ etcd: { ca: "ca", cert: "cert", key: "key" } });
  expect(() => storeChoice(files, folder)).toThrow(/go together/);
  rmSync(folder, { recursive: true });
});
