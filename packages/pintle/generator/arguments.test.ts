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
])("%j", (argv, task) => {
  expect(parseArguments(argv)).toMatchObject(task);
});

test.each([
  [["--out", "o"], "Say where the facts come from"],
  [["--crd", "f"], "Say where to write the kinds: --out DIR"],
  [["--crd", "f", "--crd-name", "n", "--out", "o"], "either --crd or --crd-name"],
  [["--crd", "f", "--openapi", "d", "--out", "o"], "--openapi and --go-modules are for built-in kinds"],
  [["--openapi", "d", "--kubeconfig", "k"], "either --openapi or a cluster"],
  [["--openapi", "d", "--go-modules", "m", "--out", "o"], "leave out --out"],
  [["--openapi"], "argument missing"],
  [["--other"], "Unknown option"],
])("%j is refused", (argv, why) => {
  expect(() => parseArguments(argv)).toThrow(why);
});
