import { expect, test } from "vitest";
import { bufferedIo } from "./buffered-io.ts";

test("delays output while held and writes it in order on release", () => {
  const written: string[] = [];
  const terminal = {
    out: (text: string) => written.push(text),
    err: (text: string) => written.push(`!${text}`),
    tty: false,
    cwd: "/",
    signal: AbortSignal.abort(),
  };
  const voice = bufferedIo(terminal as never);
  voice.io.out("a");
  voice.hold();
  voice.io.out("b");
  voice.io.err("c");
  expect(written).toEqual(["a"]);
  voice.release();
  voice.io.out("d");
  expect(written).toEqual(["a", "b", "!c", "d"]);
});
