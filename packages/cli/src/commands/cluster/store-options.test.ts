import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { parseStoreOptions } from "./store-options.ts";

const onDataLoss = () => {};

test.each([
  [{}, { store: "memory", description: "" }],
  [
    { data: "data-folder" },
    { store: { file: "/home/data-folder", fsync: false, acceptDataLoss: false, onDataLoss }, description: ", data in data-folder" },
  ],
  [
    { data: "/var/data-folder", fsync: true, "accept-data-loss": true },
    { store: { file: "/var/data-folder", fsync: true, acceptDataLoss: true, onDataLoss }, description: ", data in ../var/data-folder" },
  ],
  [
    { "etcd-servers": "http://a:2379, http://b:2379", "etcd-prefix": "/dev" },
    {
      store: { etcd: { endpoints: ["http://a:2379", "http://b:2379"], prefix: "/dev" } },
      description: ", data in etcd http://a:2379, http://b:2379",
    },
  ],
])("%j", (values, choice) => {
  expect(parseStoreOptions(values, "/home", onDataLoss)).toEqual(choice);
});

test.each([
  [{ data: "data-folder", "etcd-servers": "http://a:2379" }, /--data and --etcd-servers are mutually exclusive/],
  [{ fsync: true }, /--fsync requires --data/],
  [{ "accept-data-loss": true }, /--accept-data-loss requires --data/],
  [{ data: "" }, /invalid --data: must be a folder/],
  [{ "etcd-servers": "127.0.0.1:2379" }, /invalid --etcd-servers "127\.0\.0\.1:2379"/],
  [{ "etcd-cafile": "ca.crt" }, /--etcd-cafile requires --etcd-servers/],
  [{ "etcd-servers": "https://a:2379", "etcd-cafile": "missing.crt" }, /--etcd-cafile: ENOENT/],
])("rejects %j as wrong usage", (values, sentence) => {
  expect(() => parseStoreOptions(values, "/home", onDataLoss)).toThrow(
    expect.objectContaining({ message: expect.stringMatching(sentence), exitCode: 2 }),
  );
});

test("reads certificates from their files and requires a key for a client certificate", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-choice-"));
  for (const name of ["ca", "cert", "key"]) writeFileSync(path.join(folder, name), name);
  const files = { "etcd-servers": "https://a:2379", "etcd-cafile": "ca", "etcd-certfile": "cert" };
  expect(parseStoreOptions({ ...files, "etcd-keyfile": "key" }, folder, onDataLoss).store).toMatchObject({
    etcd: { ca: "ca", cert: "cert", key: "key" },
  });
  expect(() => parseStoreOptions(files, folder, onDataLoss)).toThrow(/must be used together/);
  rmSync(folder, { recursive: true });
});
