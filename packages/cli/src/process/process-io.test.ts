import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("a command whose reader closed the pipe ends without a stack trace", async () => {
  const file = fileURLToPath(new URL("./process-io.ts", import.meta.url));
  // Writes until the signal of the command aborts.
  const program = `
    const { processIo } = await import(${JSON.stringify(file)});
    const io = processIo();
    const write = () => io.signal.aborted ? process.exit(0) : (io.out("line\\n".repeat(1000)), setImmediate(write));
    write();`;
  const flags = ["--conditions=@pintle/source", "--import", "tsx", "--input-type=module", "-e", program];
  const child = spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "pipe"] });
  const errors = text(child.stderr);
  child.stdout.once("data", () => child.stdout.destroy());
  const [code] = await once(child, "exit");
  expect([code, await errors]).toEqual([0, ""]);
});
