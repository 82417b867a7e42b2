#!/usr/bin/env node
import { deferOptimization } from "pintle/internal/process";
import { main } from "./main.ts";
import { collectGarbageWhenIdle, processIo } from "./process/index.ts";

deferOptimization();
collectGarbageWhenIdle();
process.exitCode = await main(process.argv.slice(2), processIo());
