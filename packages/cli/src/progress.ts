import type { Io } from "./command.ts";

const PATIENCE = 1_000;

/** Says what is being waited for: on a terminal only, only when it takes longer than a second, and only while it lasts. */
export async function progress<T>({ tty, err }: Pick<Io, "tty" | "err">, what: string, work: Promise<T>): Promise<T> {
  if (!tty) return work;
  let said = false;
  const timer = setTimeout(() => {
    said = true;
    err(`${what} ...`);
  }, PATIENCE);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    if (said) err("\r\u001b[K");
  }
}
