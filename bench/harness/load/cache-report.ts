import type { MeasuredProcess } from "../process/measured-process.ts";

/** The line that a cache program prints when its cache has synced. */
export interface CacheSyncReport {
  readonly objects: number;
  readonly milliseconds: number;
  readonly heapBytes: number;
}

/** Waits for the report of a cache program. Throws if the cache does not hold exactly `objects` objects. */
export async function readSyncReport(program: MeasuredProcess, objects: number): Promise<CacheSyncReport> {
  let line = "";
  while (!line.startsWith("{")) line = await program.readLine();
  const report = JSON.parse(line) as CacheSyncReport;
  if (report.objects !== objects) throw new Error(`a cache holds ${report.objects} objects, but there are ${objects}`);
  return report;
}

/** Waits until a cache program has seen the object `name`; resolves with the time in milliseconds since the epoch. */
export async function readMarkerTime(program: MeasuredProcess, name: string): Promise<number> {
  for (;;) {
    const [event, markerName, micros] = (await program.readLine()).split(" ");
    if (event === "seen" && markerName === name) return Number(micros) / 1000;
  }
}
