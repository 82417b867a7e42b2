import { expect, test } from "vitest";
import { commandOf } from "./command.ts";
import { reference, referenceText } from "./reference.ts";
import { entryOf, IMAGES, type ImageTable } from "./table.ts";

test.each([
  ["nginx", "docker.io/library/nginx:latest"],
  ["bitnami/etcd:3", "docker.io/bitnami/etcd:3"],
  ["quay.io/coreos/etcd:v3.5.0", "quay.io/coreos/etcd:v3.5.0"],
  ["localhost:5000/a/b", "localhost:5000/a/b:latest"],
  ["localhost/a:1", "localhost/a:1"],
  ["a@sha256:00", "docker.io/library/a@sha256:00"],
])("%s is %s", (text, expected) => {
  expect(referenceText(reference(text))).toBe(expected);
});

const table: ImageTable = { memcached: { args: ["all"] }, "memcached:1.5": { args: ["old"] }, "example.com/app": { args: ["app"] } };

test.each([
  ["memcached", "all"],
  ["memcached:1.6-alpine", "all"],
  ["docker.io/library/memcached:1.5", "old"],
  ["example.com/app:v1", "app"],
  ["example.com/memcached", undefined],
  ["nothing", undefined],
])("the entry of %s is %s", (image, expected) => {
  expect(entryOf(table, image)?.args?.[0]).toBe(expected);
});

const memcached = IMAGES["memcached"]!;

test.each([
  ["as the image has it", {}, false, ["memcached"]],
  ["with arguments of the pod", { args: ["-m", "64"] }, false, ["memcached", "-m", "64"]],
  ["arguments may name the program again", { args: ["memcached", "-m", "64"] }, false, ["memcached", "-m", "64"]],
  ["or another one", { args: ["sh", "-c", "true"] }, true, ["sh", "-c", "true"]],
  ["but not just any word", { args: ["fast"] }, false, ["memcached", "fast"]],
  ["on loopback it listens at its own address", { args: ["-m", "64"] }, true, ["memcached", "-m", "64", "-l", "$(POD_IP)"]],
  ["unless the pod says where", { command: ["memcached", "-l", "0.0.0.0"] }, true, ["memcached", "-l", "0.0.0.0"]],
  ["another command is left as it is", { command: ["sh", "-c", "true"] }, true, ["sh", "-c", "true"]],
])("%s", (_, container, loopback, expected) => {
  expect(commandOf({ name: "c", ...container }, memcached, loopback, (word) => word === "sh")).toEqual(expected);
});
