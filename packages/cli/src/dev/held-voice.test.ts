import { expect, test } from "vitest";
import { heldVoice } from "./held-voice.ts";

test("what is said while it is held comes after, in order", () => {
  const said: string[] = [];
  const terminal = {
    out: (text: string) => said.push(text),
    err: (text: string) => said.push(`!${text}`),
    tty: false,
    cwd: "/",
    signal: AbortSignal.abort(),
  };
  const voice = heldVoice(terminal as never);
  voice.io.out("a");
  voice.hold();
  voice.io.out("b");
  voice.io.err("c");
  expect(said).toEqual(["a"]);
  voice.release();
  voice.io.out("d");
  expect(said).toEqual(["a", "b", "!c", "d"]);
});
