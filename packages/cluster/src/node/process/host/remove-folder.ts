import { rm } from "node:fs/promises";

/** A process that is being killed may still create a file in a folder that is being emptied. */
const MAX_RETRIES = 5;
const RETRY_DELAY = 20;

/** Deletes a folder with everything in it. Rejects if files keep appearing in it. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: MAX_RETRIES, retryDelay: RETRY_DELAY });
}
