/** What of an object is written by users. */

const SERVER_FIELDS = new Set([
  "creationTimestamp",
  "generation",
  "resourceVersion",
  "uid",
  "selfLink",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
]);

/** Returns the part of the YAML of an object that a user applies: no status, and no metadata that the server sets. */
export function withoutServerFields(yaml: string): string {
  const kept: string[] = [];
  let top = "";
  let field = "";
  for (const line of yaml.split("\n")) {
    if (/^\S/.test(line)) {
      top = line.replace(/:.*/, "");
      field = "";
    } else if (/^ {2}[^\s-]/.test(line)) field = line.trim().replace(/:.*/, "");
    if (top === "status" || (top === "metadata" && SERVER_FIELDS.has(field))) continue;
    kept.push(line);
  }
  return kept.join("\n");
}
