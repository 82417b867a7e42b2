import { createRequire } from "node:module";
import type { RE2JS } from "re2js";
import { nativePattern } from "./native-pattern.ts";

/** A compiled regular expression with RE2's syntax and meaning, searching anywhere in a text. */
export type Pattern = (text: string) => boolean;

const compiled = new Map<string, Pattern>();

/** Throws a SyntaxError with Go's text when the pattern is not one. */
export function pattern(source: string): Pattern {
  let test = compiled.get(source);
  if (test === undefined) {
    const native = nativePattern(source);
    test = native === undefined ? searching(re2(source)) : (text) => native.test(text);
    compiled.set(source, test);
  }
  return test;
}

function searching(regex: RE2JS): Pattern {
  return (text) => regex.test(text);
}

const require = createRequire(import.meta.url);
let engine: typeof import("re2js") | undefined;

/** The RE2 engine itself; it takes a dozen milliseconds to load, so only patterns that need it do. */
export function re2(source: string): RE2JS {
  engine ??= require("re2js") as typeof import("re2js");
  try {
    return engine.RE2JS.compile(source);
  } catch (error) {
    throw new SyntaxError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
