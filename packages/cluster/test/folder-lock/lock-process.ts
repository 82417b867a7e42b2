import { lockFolder } from "../../src/folder-lock/index.ts";

/** A child process of the tests: locks and releases the folder of its argument as its parent says. Reports "held", or who has the lock. */
const folder = process.argv[2] as string;
let release: (() => void) | undefined;
process.on("message", async (command) => {
  if (command === "lock") {
    const lock = await lockFolder(folder);
    if ("release" in lock) release = lock.release;
    process.send?.("release" in lock ? "held" : lock.heldBy);
  } else if (command === "release") {
    release?.();
    release = undefined;
    process.send?.("released");
  }
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
