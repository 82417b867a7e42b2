import { expect, test } from "vitest";
import { classify, examplesOf, membersOf, parseStatements } from "./declarations.ts";

const DECLARATIONS = `import type { Clock } from "../clock.d.ts";
/** Options of \`serve()\`. */
export interface ServeOptions<T = never> {
    /** The port. Default: 0; any free one. */
    readonly port?: number | undefined;
    readonly "x-name": string;
    // Not a doc comment.
    close(options?: {
        readonly now: boolean;
    }): Promise<void>;
}
/**
 * Serves.
 *
 * @example
 * \`\`\`ts
 * serve({ port: 1 });
 * \`\`\`
 */
export declare function serve(options: ServeOptions): void;
export type Answer = {
    /** Text; with a semicolon. */
    readonly text: string;
};
export { type Clock as Time };
`;

test("parseStatements splits a declaration file and keeps the doc comment of every statement", () => {
  const statements = parseStatements(DECLARATIONS);
  expect(statements.map(({ doc }) => doc.split("\n")[0])).toEqual(["", "Options of `serve()`.", "Serves.", "", ""]);
  expect(statements.map((statement) => classify(statement).type)).toEqual([
    "other",
    "declaration",
    "declaration",
    "declaration",
    "local-exports",
  ]);
});

test("membersOf lists properties and methods with their doc comments", () => {
  const [, options, , answer] = parseStatements(DECLARATIONS);
  expect(membersOf(options!)).toEqual([
    { name: "port", isOptional: true, doc: "The port. Default: 0; any free one." },
    { name: "x-name", isOptional: false, doc: "" },
    { name: "close", isOptional: false, doc: "" },
  ]);
  expect(membersOf(answer!)).toEqual([{ name: "text", isOptional: false, doc: "Text; with a semicolon." }]);
});

test("examplesOf returns the code below @example tags", () => {
  const [, , serve] = parseStatements(DECLARATIONS);
  expect(examplesOf(serve!.doc)).toEqual(["serve({ port: 1 });\n"]);
});
