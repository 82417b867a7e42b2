import { mkdir, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const heartbeatMs = 2_000;
const abandonedAfterMs = 15_000;

/**
 * Runs `work` with a scratch folder that only one process uses at a time: the folder is the lock.
 *
 * The owner touches the folder while it works. A folder that was not touched for a while belonged to a
 * process that was killed, and is removed: a killed build needs no manual cleanup.
 */
export async function withScratch<T>(
  folder: string,
  options: { readonly signal: AbortSignal; readonly onWait: () => void },
  work: () => Promise<T>,
): Promise<T> {
  await mkdir(dirname(folder), { recursive: true });
  for (let waited = false; !(await claim(folder)); waited = true) {
    if (!waited) options.onWait();
    // Jittered, so that two waiting processes do not both remove the same abandoned folder.
    await delay(200 + Math.random() * 200, undefined, { signal: options.signal });
  }
  const heartbeat = setInterval(() => void touch(folder), heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(folder, { recursive: true, force: true });
  }
}

async function claim(folder: string): Promise<boolean> {
  await removeIfAbandoned(folder);
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  }
}

async function removeIfAbandoned(folder: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs < abandonedAfterMs) return;
    const swept = `${folder}.abandoned-${process.pid}`;
    await rename(folder, swept);
    await rm(swept, { recursive: true, force: true });
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw error;
  }
}

async function touch(folder: string): Promise<void> {
  const now = new Date();
  // The owner may just have removed the folder itself: a late heartbeat is ignored.
  await utimes(folder, now, now).catch(() => {});
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
