#!/usr/bin/env node
import { deferOptimization } from "pintle/internal/process";
import { main } from "./program/index.ts";

deferOptimization();
process.exit(await main(process.argv.slice(2), process.env));
