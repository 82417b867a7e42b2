/**
 * A program that fuzzes one parser with coverage feedback: `guided-fuzz.ts NAME SEED COUNT` prints the result as JSON. It has a process of its own,
 * because the engine counts blocks only in functions that it compiles after coverage was started.
 */
import { fuzzWithCoverage, startCoverage } from "../../packages/cluster/test/hostile/fuzz/fuzz-with-coverage.ts";
import { keywordParser } from "../../packages/cluster/test/hostile/fuzz/keyword-parser.ts";
import { parsers } from "../../packages/cluster/test/hostile/fuzz/parsers.ts";

const [name, seed, count] = process.argv.slice(2);
const parser = [...parsers, keywordParser].find((each) => each.name === name);
if (parser === undefined) throw new Error(`no parser ${name}`);
const result = await fuzzWithCoverage(await startCoverage(), parser, Number(seed), Number(count));
process.stdout.write(JSON.stringify(result), () => process.exit(0));
