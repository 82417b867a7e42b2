import type { Measured } from "./process.ts";

/** One cache of one kind, filled once. */
export interface Sync {
  readonly milliseconds: number;
  readonly heapKbPerObject: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
}

export async function sync(program: Measured, objects: number): Promise<Sync> {
  const { value } = (await program.lines.next()) as { readonly value: string };
  const said = JSON.parse(value) as { readonly objects: number; readonly milliseconds: number; readonly heapBytes: number };
  if (said.objects !== objects) throw new Error(`a cache holds ${said.objects} objects, but there are ${objects}`);
  const heapKbPerObject = said.heapBytes / 1024 / objects;
  return { milliseconds: said.milliseconds, heapKbPerObject, cpuSeconds: program.cpu(), peakMb: program.memory().peakMb };
}
