import { readdirSync, readFileSync } from "node:fs";

/** Returns "pid command line" of the other processes whose environment or arguments contain the word. */
export function findProcesses(word: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "latin1") + readFileSync(`/proc/${pid}/environ`, "latin1");
        return words.includes(word) ? [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")}`] : [];
      } catch {
        return [];
      }
    });
}
