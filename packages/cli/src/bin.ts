#!/usr/bin/env node
import { main } from "./main.ts";
import { processIo } from "./process-io.ts";
import { tidyMemory } from "./tidy-memory.ts";

tidyMemory();
process.exitCode = await main(process.argv.slice(2), processIo());
