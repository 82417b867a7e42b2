import type { Documents } from "../documents.ts";
import { MARK } from "../output.ts";

/** A module with one string of lines: nothing is parsed before it is needed, and a change shows as changed lines. */
export function table(published: Documents, name: string, lines: readonly string[]): string {
  const text = lines.join("\n").replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("${", "\\${");
  return `// ${MARK} from Kubernetes ${published.serverVersion}: do not edit.\nexport const ${name} = \`${text}\`;\n`;
}
