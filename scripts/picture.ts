/** `npm run picture`: runs `npm start` and renders its output as docs/start.svg, the picture in the README. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";

const CELL = { width: 8.4, height: 19 };
const MARGIN = 18;

const text = execFileSync("npm", ["start", "--silent"], { encoding: "utf8" });
const lines = ["$ npm start", ...keepLastFrames(text.trimEnd().split("\n"))];
const width = Math.ceil(Math.max(...lines.map((line) => line.length)) * CELL.width + 2 * MARGIN);
const height = lines.length * CELL.height + 2 * MARGIN;
const rows = lines.map((line, i) => {
  const bold = /^\S/.test(line) ? ' class="step"' : "";
  return `  <text x="${MARGIN}" y="${MARGIN + (i + 0.75) * CELL.height}"${bold}>${escapeXml(line)}</text>`;
});
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="npm start" xml:space="preserve">
  <style>text { font: 14px ui-monospace, Menlo, Consolas, monospace; fill: #c9d1d9; white-space: pre } .step { fill: #7ee787 }</style>
  <rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${rows.join("\n")}
</svg>
`;
writeFileSync(new URL("../docs/start.svg", import.meta.url), svg);

/** Keeps only the last table between two steps. */
function keepLastFrames(output: readonly string[]): string[] {
  const kept: string[] = [];
  let frame: string[] = [];
  for (const line of output) {
    if (/^ {4}NAME/.test(line)) frame = [line];
    else if (/^ {4}\S|^ {6}\S/.test(line)) frame.push(line);
    else {
      kept.push(...frame, line);
      frame = [];
    }
  }
  return kept;
}

function escapeXml(line: string): string {
  return line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
