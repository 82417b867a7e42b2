import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { DEFER_OPTIMIZATION } from "./defer-optimization.ts";

test("the flag is set exactly where this Node's V8 has it", () => {
  const options = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
  const [name = ""] = DEFER_OPTIMIZATION.flag.split("=");
  expect(process.versions.v8.startsWith(`${DEFER_OPTIMIZATION.v8}.`)).toBe(new RegExp(`^ *${name} `, "m").test(options));
});

test("deferOptimization prints nothing", () => {
  const module = new URL("defer-optimization.ts", import.meta.url).href;
  const script = `(await import(${JSON.stringify(module)})).deferOptimization();`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", import.meta.resolve("tsx"), "--input-type=module", "--eval", script],
    {
      cwd: fileURLToPath(new URL(".", import.meta.url)),
      encoding: "utf8",
      env: { ...process.env, NODE_OPTIONS: "" },
    },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
