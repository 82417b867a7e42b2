import { expect, test } from "vitest";
import { parseArguments } from "./arguments.ts";

test.each([
  [[], { task: "help" }],
  [["--help", "--crd", "x"], { task: "help" }],
  [["--openapi", "d"], { task: "built-in", from: { folder: "d" } }],
  [["--openapi", "d", "--go-modules", "m"], { task: "built-in", from: { folder: "d" }, modules: "m" }],
  [["--kubeconfig", "k", "--server", "s", "--out", "o"], { task: "built-in", from: { kubeconfig: "k", server: "s" }, out: "o" }],
  [["--crd", "-", "--out", "o"], { task: "custom", from: { file: "-" }, out: "o" }],
  [["--crd-name", "a.b", "--kubeconfig", "k", "--out", "o"], { task: "custom", from: { name: "a.b", at: { kubeconfig: "k" } }, out: "o" }],
])("parses %j", (argv, task) => {
  expect(parseArguments(argv)).toMatchObject(task);
});

test.each([
  [["--out", "o"], "Specify the source"],
  [["--crd", "f"], "Specify where to write the kinds: --out DIR"],
  [["--crd", "f", "--crd-name", "n", "--out", "o"], "either --crd or --crd-name"],
  [["--crd", "f", "--openapi", "d", "--out", "o"], "--openapi and --go-modules apply to built-in kinds"],
  [["--openapi", "d", "--kubeconfig", "k"], "either --openapi or a cluster"],
  [["--openapi", "d", "--go-modules", "m", "--out", "o"], "remove --out"],
  [["--openapi"], "argument missing"],
  [["--other"], "Unknown option"],
])("rejects %j", (argv, message) => {
  expect(() => parseArguments(argv)).toThrow(message);
});
