import { PintleError } from "pintle/internal/errors";

/** Reads a body of bounded size. */
export async function readText(response: Response, limit: number, where: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > limit) throw new PintleError("PINTLE8030", `${where}: larger than ${limit >> 20} MiB, which no answer of a registry is`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
