#!/usr/bin/env node
// Runs dist/, which the published package contains. In a clone that is not built it runs src/, which takes seconds to load.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const built = new URL("../dist/bin.js", import.meta.url);
if (existsSync(built)) await import(built.href);
else {
  const source = fileURLToPath(new URL("../src/bin.ts", import.meta.url));
  const flags = ["--conditions=@pintle/source", "--import", import.meta.resolve("tsx")];
  const child = spawn(process.execPath, [...flags, source, ...process.argv.slice(2)], { stdio: "inherit" });
  // Ctrl-C on a terminal reaches the child by itself, and a second SIGINT would end it at once.
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 143);
  });
}
