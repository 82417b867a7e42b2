import type { FuzzedParser } from "./parsers.ts";

/** Has a defect behind checks of single bytes, to test the fuzzing itself: mutations that do not build on each other would need millions of inputs. */
export const keywordParser: FuzzedParser = {
  name: "keyword",
  samples: ["aaaa"],
  parse(input) {
    if (input[0] !== 0x46) return;
    if (input[1] !== 0x55) return;
    throw new Error("found");
  },
  isExpected: () => false,
};
