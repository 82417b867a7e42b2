import type { Measured } from "./measured.ts";

/** What a program says once its cache is filled. */
export interface Filled {
  readonly objects: number;
  readonly milliseconds: number;
  readonly heapBytes: number;
}

/** Waits until a cache says that it is filled; one that holds something else than is there does not count. */
export async function filled(program: Measured, objects: number): Promise<Filled> {
  let line = "";
  while (!line.startsWith("{")) line = await program.line();
  const said = JSON.parse(line) as Filled;
  if (said.objects !== objects) throw new Error(`a cache holds ${said.objects} objects, but there are ${objects}`);
  return said;
}

/** Milliseconds since 1970 at which a program saw the object of this name. */
export async function seen(program: Measured, name: string): Promise<number> {
  for (;;) {
    const [word, which, micros] = (await program.line()).split(" ");
    if (word === "seen" && which === name) return Number(micros) / 1000;
  }
}
