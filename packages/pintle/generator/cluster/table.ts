import type { PublishedDocuments } from "../input/documents.ts";
import { GENERATED_MARK } from "../output.ts";

/** Renders a module with one string of lines: it is parsed on first use, and a change shows as changed lines in a diff. */
export function renderTable(published: PublishedDocuments, name: string, lines: readonly string[]): string {
  const text = lines.join("\n").replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("${", "\\${");
  return `// ${GENERATED_MARK} from Kubernetes ${published.serverVersion}: do not edit.\nexport const ${name} = \`${text}\`;\n`;
}
