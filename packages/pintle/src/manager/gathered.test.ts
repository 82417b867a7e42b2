import { execFileSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { gathered } from "./gathered.ts";

test("lines that come together are written together, in order, and those that come later later", async () => {
  const written: string[] = [];
  const write = gathered((text) => written.push(text), 5);
  write("a");
  write("b");
  expect(written).toEqual([]);
  while (written.length < 1) await delay(1);
  write("c");
  while (written.length < 2) await delay(1);
  expect(written).toEqual(["a\nb\n", "c\n"]);
});

test.each([
  ["its end", ""],
  ["process.exit()", "process.exit(0);"],
  ["an error that nobody catches", "process.on('uncaughtException', () => process.exit(0)); throw new Error('oh');"],
])("nothing is lost at %s", (_, end) => {
  const file = fileURLToPath(new URL("gathered.ts", import.meta.url));
  const program = `const { gathered } = await import(${JSON.stringify(file)});
    const write = gathered((text) => process.stdout.write(text), 60_000);
    write("first"); write("last"); ${end}`;
  const said = execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], { encoding: "utf8" });
  expect(said).toBe("first\nlast\n");
});
