/** A problem with what it consists of. */
export interface ErrorTree {
  readonly message: string;
  readonly problems: readonly (string | ErrorTree)[];
}

/** Formats a tree as operator-registry does, with box-drawing characters. */
export function formatErrorTree(tree: ErrorTree): string {
  return formatNode(tree, "", true).join("\n");
}

function formatNode({ message, problems }: ErrorTree, prefix: string, isLast: boolean): string[] {
  const lines = [`${prefix}${message}${problems.length === 0 ? "" : ":"}`];
  const inherited = prefix.length < 4 ? prefix : `${prefix.slice(0, -4)}${isLast ? "    " : "│   "}`;
  problems.forEach((problem, i) => {
    const isLastProblem = i === problems.length - 1;
    const below = `${inherited}${isLastProblem ? "└── " : "├── "}`;
    if (typeof problem === "string") lines.push(`${below}${problem}`);
    else lines.push(...formatNode(problem, below, isLastProblem));
  });
  return lines;
}
