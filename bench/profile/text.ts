/** `node --import tsx bench/profile/text.ts <file.cpuprofile|file.heapprofile> [rows]`: a profile as a table of text. */
import { readFileSync } from "node:fs";
import { hot, hotText } from "./hot.ts";

const [file, rows = "25"] = process.argv.slice(2);
if (file === undefined) {
  console.error("bench: which profile? Make one with node --cpu-prof or node --heap-prof.");
  process.exit(2);
}
console.log(hotText(hot(JSON.parse(readFileSync(file, "utf8"))), file.endsWith(".heapprofile") ? "KB" : "ms", Number(rows)));
