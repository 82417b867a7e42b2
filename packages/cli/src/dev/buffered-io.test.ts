import { expect, test } from "vitest";
import { createBufferedIo } from "./buffered-io.ts";

test("delays output while held and writes it in order on release", () => {
  const written: string[] = [];
  const terminal = {
    out: (text: string) => written.push(text),
    err: (text: string) => written.push(`!${text}`),
    tty: false,
    cwd: "/",
    signal: AbortSignal.abort(),
  };
  const buffered = createBufferedIo(terminal as never);
  buffered.io.out("a");
  buffered.hold();
  buffered.io.out("b");
  buffered.io.err("c");
  expect(written).toEqual(["a"]);
  buffered.release();
  buffered.io.out("d");
  expect(written).toEqual(["a", "b", "!c", "d"]);
});
