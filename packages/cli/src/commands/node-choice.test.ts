import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeChoice } from "./node-choice.ts";

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "pintle-nodes-"));
  writeFileSync(path.join(cwd, "good.yaml"), "count: 2\nfolder: kept\nimages:\n  example.com/app: { command: [node, app.js] }\n");
  writeFileSync(path.join(cwd, "strange.yaml"), "image: {}\n");
  writeFileSync(path.join(cwd, "mode.yaml"), "mode: docker\n");
});
afterAll(() => rmSync(cwd, { recursive: true }));

test("how many, or processes", () => {
  expect(nodeChoice({}, "memory", cwd)).toBeUndefined();
  expect(nodeChoice({ nodes: "3" }, "memory", cwd)).toBe(3);
  expect(nodeChoice({ nodes: "process" }, "memory", cwd)).toEqual({ kind: "process" });
});

test("pods are kept beside the objects that tell of them, unless the file says otherwise", () => {
  expect(nodeChoice({ nodes: "process" }, { file: "/data" }, cwd)).toEqual({ kind: "process", folder: "/data/nodes" });
  expect(nodeChoice({ nodes: "process", "node-config": "good.yaml" }, { file: "/data" }, cwd)).toEqual({
    kind: "process",
    count: 2,
    folder: path.join(cwd, "kept"),
    images: { "example.com/app": { command: ["node", "app.js"] } },
  });
});

test.each([
  [{ nodes: "many" }, '--nodes many is no number of nodes, nor "process"'],
  [{ "node-config": "good.yaml" }, "add --nodes process"],
  [{ nodes: "process", "node-config": "none.yaml" }, "none.yaml cannot be read"],
  [{ nodes: "process", "node-config": "strange.yaml" }, "image is unknown; known are count, folder, mode, images"],
  [{ nodes: "process", "node-config": "mode.yaml" }, "mode docker is neither loopback nor namespaces"],
])("%j is refused: %s", (values, why) => {
  expect(() => nodeChoice(values, "memory", cwd)).toThrow(why);
});
