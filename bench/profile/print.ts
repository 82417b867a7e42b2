/** `node --import tsx bench/profile/print.ts <file.cpuprofile|file.heapprofile> [rows]`: prints a profile as tables. */
import { readFileSync } from "node:fs";
import { formatFunctions, rankFunctions } from "./function-costs.ts";

const [file, rows = "25"] = process.argv.slice(2);
if (file === undefined) {
  console.error("bench: name a profile, made with node --cpu-prof or node --heap-prof.");
  process.exit(2);
}
console.log(
  formatFunctions(rankFunctions(JSON.parse(readFileSync(file, "utf8"))), file.endsWith(".heapprofile") ? "KB" : "ms", Number(rows)),
);
