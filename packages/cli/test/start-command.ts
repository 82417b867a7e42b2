import { onTestFailed } from "vitest";
import { main } from "../src/main.ts";

/** Runs a long-running command in this process and collects its output, which is printed if the test fails. */
export function startCommand(root: string, ...words: string[]) {
  const stop = new AbortController();
  let output = "";
  const waiters: (() => void)[] = [];
  const collect = (text: string) => {
    output += text;
    for (const each of waiters.splice(0)) each();
  };
  onTestFailed(() => console.log(output));
  const ended = main(words, { out: collect, err: collect, tty: false, cwd: root, signal: stop.signal });
  void ended.then(() => collect(""));
  return {
    ended,
    /** Waits until the output matches. */
    async until(pattern: RegExp) {
      while (!pattern.test(output)) await new Promise<void>((resolve) => waiters.push(resolve));
      return pattern.exec(output)!;
    },
    /** Interrupts the command and returns its exit code. */
    async stop() {
      stop.abort();
      return ended;
    },
  };
}
