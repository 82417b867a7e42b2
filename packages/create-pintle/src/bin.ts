#!/usr/bin/env node
import { main, processIo } from "@pintle/cli";

process.exitCode = await main(["init", "--install", ...process.argv.slice(2)], processIo());
