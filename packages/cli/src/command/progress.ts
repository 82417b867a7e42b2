import type { Io } from "./command.ts";

const SHOW_AFTER_MS = 1_000;

/** Shows a label while `work` is pending: only on a terminal and only after one second. */
export async function withProgress<T>({ tty, err }: Pick<Io, "tty" | "err">, label: string, work: Promise<T>): Promise<T> {
  if (!tty) return work;
  let isShown = false;
  const timer = setTimeout(() => {
    isShown = true;
    err(`${label} ...`);
  }, SHOW_AFTER_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    if (isShown) err("\r\u001b[K");
  }
}
