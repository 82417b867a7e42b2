import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseNodeOptions } from "./node-options.ts";

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "pintle-nodes-"));
  writeFileSync(path.join(cwd, "good.yaml"), "count: 2\nfolder: data-folder\nimages:\n  example.com/app: { command: [node, app.js] }\n");
  writeFileSync(path.join(cwd, "strange.yaml"), "image: {}\n");
  writeFileSync(path.join(cwd, "mode.yaml"), "mode: docker\n");
});
afterAll(() => rmSync(cwd, { recursive: true }));

test("accepts a number of simulated nodes or process nodes", () => {
  expect(parseNodeOptions({}, "memory", cwd)).toBeUndefined();
  expect(parseNodeOptions({ nodes: "3" }, "memory", cwd)).toBe(3);
  expect(parseNodeOptions({ nodes: "process" }, "memory", cwd)).toEqual({ kind: "process" });
});

test("stores node data in the cluster's data folder unless the node config sets a folder", () => {
  expect(parseNodeOptions({ nodes: "process" }, { file: "/data" }, cwd)).toEqual({ kind: "process", folder: "/data/nodes" });
  expect(parseNodeOptions({ nodes: "process", "node-config": "good.yaml" }, { file: "/data" }, cwd)).toEqual({
    kind: "process",
    count: 2,
    folder: path.join(cwd, "data-folder"),
    images: { "example.com/app": { command: ["node", "app.js"] } },
  });
});

test.each([
  [{ nodes: "many" }, 'invalid --nodes "many": must be a number or "process"'],
  [{ "node-config": "good.yaml" }, "requires --nodes process"],
  [{ nodes: "process", "node-config": "none.yaml" }, "cannot read --node-config none.yaml"],
  [{ nodes: "process", "node-config": "strange.yaml" }, 'unknown field "image"; known fields are count, folder, mode, images'],
  [{ nodes: "process", "node-config": "mode.yaml" }, 'invalid mode "docker": must be loopback or namespaces'],
])("rejects %j: %s", (values, why) => {
  expect(() => parseNodeOptions(values, "memory", cwd)).toThrow(why);
});
