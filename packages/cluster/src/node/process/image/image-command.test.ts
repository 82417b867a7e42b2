import { expect, test } from "vitest";
import { buildCommand } from "./image-command.ts";
import { formatImageReference, parseImageReference } from "./image-reference.ts";
import { DEFAULT_IMAGES, findImageEntry, type ImageTable } from "./image-table.ts";

test.each([
  ["nginx", "docker.io/library/nginx:latest"],
  ["bitnami/etcd:3", "docker.io/bitnami/etcd:3"],
  ["quay.io/coreos/etcd:v3.5.0", "quay.io/coreos/etcd:v3.5.0"],
  ["localhost:5000/a/b", "localhost:5000/a/b:latest"],
  ["localhost/a:1", "localhost/a:1"],
  ["a@sha256:00", "docker.io/library/a@sha256:00"],
])("parses %s as %s", (text, expected) => {
  expect(formatImageReference(parseImageReference(text))).toBe(expected);
});

const table: ImageTable = { memcached: { args: ["all"] }, "memcached:1.5": { args: ["old"] }, "example.com/app": { args: ["app"] } };

test.each([
  ["memcached", "all"],
  ["memcached:1.6-alpine", "all"],
  ["docker.io/library/memcached:1.5", "old"],
  ["example.com/app:v1", "app"],
  ["example.com/memcached", undefined],
  ["nothing", undefined],
])("finds for %s the entry %s", (image, expected) => {
  expect(findImageEntry(table, image)?.args?.[0]).toBe(expected);
});

const memcached = DEFAULT_IMAGES["memcached"]!;

test.each([
  ["of the image", {}, false, ["memcached"]],
  ["with arguments of the pod", { args: ["-m", "64"] }, false, ["memcached", "-m", "64"]],
  ["with arguments that repeat the program", { args: ["memcached", "-m", "64"] }, false, ["memcached", "-m", "64"]],
  ["with arguments that name another program", { args: ["sh", "-c", "true"] }, true, ["sh", "-c", "true"]],
  ["with arguments that are no program", { args: ["fast"] }, false, ["memcached", "fast"]],
  ["with a listen address in loopback mode", { args: ["-m", "64"] }, true, ["memcached", "-m", "64", "-l", "$(POD_IP)"]],
  ["without a listen address if the pod sets one", { command: ["memcached", "-l", "0.0.0.0"] }, true, ["memcached", "-l", "0.0.0.0"]],
  ["of a pod with another command", { command: ["sh", "-c", "true"] }, true, ["sh", "-c", "true"]],
])("builds the command line %s", (_, container, loopback, expected) => {
  expect(buildCommand({ name: "c", ...container }, memcached, loopback, (word) => word === "sh")).toEqual(expected);
});
