import { expect, test } from "vitest";
import { rewriteText } from "./rewrite-text.ts";

const NAMES: Readonly<Record<string, string>> = {
  "etcd-0.etcd.default.svc": "127.1.0.2",
  "etcd-0.etcd.default.svc.cluster.local": "127.1.0.2",
  "etcd-1.etcd": "127.1.0.3",
  redis: "127.2.0.4",
};
const rules = {
  mounts: [
    { path: "/data", source: "/n/pods/u/volumes/d" },
    { path: "/data/deep", source: "/n/deep" },
  ],
  address: "127.1.0.9",
  resolve: (name: string) => NAMES[name],
};

test.each([
  ["--data-dir=/data", "--data-dir=/n/pods/u/volumes/d"],
  ["/data/x", "/n/pods/u/volumes/d/x"],
  ["/data/deep/x", "/n/deep/x"],
  ["/database", "/database"],
  ["/usr/data", "/usr/data"],
  ["a=/data,b=/data/deep", "a=/n/pods/u/volumes/d,b=/n/deep"],
  ["http://0.0.0.0:2379", "http://127.1.0.9:2379"],
  ["[::]:80", "127.1.0.9:80"],
  ["10.0.0.0", "10.0.0.0"],
  ["--metrics-bind-address=:8443", "--metrics-bind-address=127.1.0.9:8443"],
  [":8080", "127.1.0.9:8080"],
  ["a:8080", "a:8080"],
  ["a=http://etcd-0.etcd.default.svc:2380,b=http://etcd-1.etcd:2380", "a=http://127.1.0.2:2380,b=http://127.1.0.3:2380"],
  ["etcd-0.etcd.default.svc.cluster.local", "127.1.0.2"],
  ["redis:6379", "127.2.0.4:6379"],
  ["redis://redis/0", "redis://127.2.0.4/0"],
  ["redis", "redis"],
  ["other:6379", "other:6379"],
])("rewrites %s to %s", (text, expected) => {
  expect(rewriteText(text, rules)).toBe(expected);
});
