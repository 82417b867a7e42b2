#!/usr/bin/env node
// Runs dist/, which the published package contains; a clone has `node --conditions=@pintle/source --import tsx src/bin.ts`.
await import("../dist/bin.js");
